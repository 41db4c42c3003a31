"""Notices of alarms to people, by the services that the library apprise supports (extra `notify`)."""
