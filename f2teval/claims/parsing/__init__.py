"""Claims out of prepared sentences, one file a kind."""
