"""Flaws of a text that need no picture, one kind a file."""
