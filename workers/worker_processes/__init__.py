"""The processes of a node that extract: a supervisor, its workers, and the delivery of queued rows."""
