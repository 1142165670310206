"""``python -m f2teval`` is ``f2teval``."""

from f2teval.cli.main import main

if __name__ == "__main__":
    main()
