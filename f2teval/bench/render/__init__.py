"""Renderers: a table and a style become a picture and the exact truth of what was drawn where."""
