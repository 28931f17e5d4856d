"""What stands for turns that left the window: pinned details, a digest at once, a summary later.

::

    turns that left ─> pinned ─> digest                              (no model)
                          └────> plan ─> the model ─> audit ─> apply (asked in bot.runtime)
"""
