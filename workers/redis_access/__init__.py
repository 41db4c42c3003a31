"""Access to Redis: addresses and connections, the embedded server, scripts and steps, its clock, outages."""
