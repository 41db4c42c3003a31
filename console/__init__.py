"""The command line: the commands, their options and their output. No other part of the system imports it."""
