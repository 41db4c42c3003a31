"""The extraction processes of a node: a supervisor, its workers, and the delivery of queued rows."""
