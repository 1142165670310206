"""Verdicts on claims, one file a kind."""
