"""Reports of processes: heartbeats, the pages in work, present problems."""
