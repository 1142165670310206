"""From findings to numbers: interpretable features and the small readable models (scorecards) over them."""
