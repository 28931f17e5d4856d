"""What is remembered beyond a conversation, and who may recall it."""
