"""What a person reads and changes of a task's state: figures, failed pages, forgetting, renaming."""
