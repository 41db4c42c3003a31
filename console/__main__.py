"""`python -m console`: the command line, where no `exemplar` script is on the path."""

from console.cli import main

main()
