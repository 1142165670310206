"""Eight figures of invented data, three texts about each, and what is right and wrong in them."""
