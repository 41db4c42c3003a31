"""Words of the system that pages show by the filter `term`, marked for translation."""

from console.web.snapshot import N_

OUTCOMES = (  # of runs
    N_("finished"),
    N_("stopped"),
    N_("unreachable"),
    N_("no browser"),
    N_("redis"),
    N_("killed"),
    N_("running"),
)
ROLES = (N_("schedule"), N_("crawl"), N_("extract"), N_("spider"), N_("delivery"))  # of processes
FATES = (  # of URLs without a row
    N_("judged"),
    N_("unwanted"),
    N_("not a page"),
    N_("dead link"),
    N_("failed"),
    N_("to be tried again"),
)
STATES = (N_("waiting"), N_("leased"), N_("fetched"))
SCOPES = (N_("section"), N_("site"))
