"""The commands of `exemplar`, one file each; each file's `command` is the click command."""
