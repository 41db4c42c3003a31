"""When a request may be sent to a host, and what the host forbids: pace, robots.txt, Retry-After, tdmrep.json."""
