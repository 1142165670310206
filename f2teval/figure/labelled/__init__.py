"""Figures on which the numbers are printed: web graphics, newspaper graphics, slides, tables.

:func:`read_labelled` pairs every printed value with its series and category by layout, colour and bar length, and
leaves out what it is not sure of: a wrong pairing does more harm downstream than a value left unread.
"""

from f2teval.figure.labelled.read import read_labelled
from f2teval.figure.labelled.table import LabelledTable

__all__ = ["LabelledTable", "read_labelled"]
