"""The state of a task as a person reads and changes it: figures, failed pages, forgetting, renaming."""
