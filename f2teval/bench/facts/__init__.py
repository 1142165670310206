"""Facts computed from a table, and their wrong twins, put into words.

Right and wrong statements of a kind come from the same code, the same templates and the same number formats, so that
nothing but the figure tells them apart.
"""
