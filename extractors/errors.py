"""Errors, named for the reaction they ask for."""


class UnusablePage(Exception):
    """Nothing can be read from these bytes, and trying again won't help: put the page aside for a person to look at."""
