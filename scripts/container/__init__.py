"""What a container engine does with the Dockerfile, done by hand for those who have none.

``dockerfile`` reads the file, ``context`` says what of a checkout is sent to the engine, ``root``
carries the steps out in an empty root. The law of this package: what it does not understand it
refuses, so that nothing which an engine would do is passed over.
"""
