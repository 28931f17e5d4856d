"""What is in files: pictures, PDFs, texts of any charset.

The law of this folder: a stranger's file is taken apart by a process of its own
(:mod:`.worker`), which has little time, little memory and no secret, and dies alone. It imports
nothing of the bot.
"""
