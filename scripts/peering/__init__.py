"""The parts of ``scripts/peers.py``: Daybook against servers that nobody here wrote."""
