"""Shipped for tests: fakes, contract kits and pretended servers, for the project and its users."""
