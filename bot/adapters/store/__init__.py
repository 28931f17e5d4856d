"""The store on SQLite, through peewee.

The law of this folder: rows never leave it. What comes in and what goes out are values of
``bot.core``; a verb of a port is one piece of work on the database thread, and so one transaction
or a part of one.
"""
