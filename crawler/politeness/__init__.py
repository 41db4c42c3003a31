"""Politeness: when requests may be sent to a host, and which ones: pace, robots.txt, Retry-After, tdmrep.json."""
