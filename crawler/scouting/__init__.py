"""From one article's URL to a task: the section's pages, the pattern of its siblings; and the trial of a task."""
