"""What the model sees of a conversation.

``Window = notice of what left | past turns | open turn``, laid out by :mod:`.assemble` and made
smaller by the stages of :mod:`.stages`, one a file, listed in ``STAGES``.
"""
