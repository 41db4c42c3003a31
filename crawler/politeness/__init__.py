"""When a host may be asked, and for what: one pace for the whole cluster, robots.txt, Retry-After, tdmrep.json."""
