"""Claims on rows: a page writes the rows whose canonical URLs it can claim, so that each row has one writer.

The claims, and the texts' hashes for near-duplicates, are in Redis; the rest of a decision follows from them.
"""

from collections.abc import Sequence

from ..ledger import LISTED, Ledger
from ..rows import canonical_url, content_hash
from ..url_states import Claim, PageLease, fingerprint, is_unchanged, next_list_recheck, next_recheck
from .entries import entry_row, wanted
from .near_duplicates import NearDuplicates
from .page_decision import FoundArticle, FoundList, KeepRow, MarkDuplicate, Postpone, WriteRows, article_row
from .picture_keeping import want_pictures
from .section_preparation import PreparedSection

ArticleDecision = Postpone | MarkDuplicate | KeepRow | WriteRows
UNCHANGED, PAGE_MISSING = "unchanged", "a page of it is missing"  # why a recheck gives no new version
NO_NEW_ROWS = ", 0 new"  # the end of the reason of a list page without new rows
ONLY_LISTS = "list-rank"  # a method by which no page gives a row of its own


class RowClaims:
    """The claims of one worker on rows of one task. `pause`: seconds to wait for another page's claim."""

    def __init__(self, ledger: Ledger, section: PreparedSection, worker: str, *, pause: float):
        self.ledger, self.section, self.worker, self.pause = ledger, section, worker, pause

    def decide(self, lease: PageLease, found: FoundArticle | FoundList) -> ArticleDecision | None:
        """Claim the canonical URLs of a page and return the decision; None if the lease is lost."""
        if isinstance(found, FoundList):
            return self._decide_list(lease, found)
        return self.decide_articles([(lease, found)])[0]

    def decide_articles(self, articles: Sequence[tuple[PageLease, FoundArticle]]) -> list[ArticleDecision | None]:
        """Claim the canonical URLs of articles in one step and return the decisions, as `decide`."""
        urls = [
            canonical_url(found.article, found.page.url, lease.url, self.section.config.url_regex)
            for lease, found in articles
        ]
        pairs = [(lease.fingerprint, fingerprint(url)) for (lease, _), url in zip(articles, urls, strict=True)]
        claims = self.ledger.claim_all(pairs, self.worker)
        return [
            self._decide_article(lease, found, url, claim)
            for (lease, found), url, claim in zip(articles, urls, claims, strict=True)
        ]

    def _decide_article(
        self, lease: PageLease, found: FoundArticle, canonical: str, claim: Claim
    ) -> ArticleDecision | None:
        section, page = self.section, found.page
        config = section.config
        match claim.state:
            case "lost":
                return None
            case "busy":
                return Postpone(f"waits for another page of {canonical}", self.pause)
            case "theirs":
                return MarkDuplicate(canonical)
        near = self._near_duplicate(found.article.text, canonical)
        if near and config.near_duplicates == "drop":
            return MarkDuplicate(f"near {near}")
        previous, now, row_hash = lease.recheck, self.ledger.clock(), content_hash(found.article)
        if previous and is_unchanged(previous, found.example_hash, row_hash, is_incomplete=bool(page.missing)):
            hash_, version = previous.hash if page.missing else found.example_hash, previous.version
            recheck = next_recheck(config.revisit, previous, version, hash_, now=now, row_hash=previous.row_hash)
            return KeepRow(PAGE_MISSING if page.missing else UNCHANGED, recheck)
        version = previous.version + 1 if previous else 2 if claim.is_entry else 1
        row = article_row(section, lease.url, found, canonical, version=version, near=near)
        if section.pictures:
            want_pictures(self.ledger, row)
        recheck = next_recheck(config.revisit, previous, version, found.example_hash, now=now, row_hash=row_hash)
        # Its row may have been written before. A plan for rechecks may be older than the row of the last recheck.
        again = lease.again or lease.accepted or previous is not None or claim.may_have_row
        return WriteRows([row], recheck, again, article=found)

    def _decide_list(self, lease: PageLease, found: FoundList) -> Postpone | WriteRows | None:
        """Claim the entries of a list page that have no row yet and return the decision; None if the lease is lost."""
        section, config = self.section, self.section.config
        articles = wanted(found.articles, config, lease.info.get("days"))
        names = {fingerprint(canonical): canonical for canonical in articles}
        pages_give_rows = config.method != ONLY_LISTS and config.rows == "articles"
        claimed = self.ledger.claim_entries(
            lease.fingerprint, list(names), self.worker, pages_give_rows=pages_give_rows
        )
        if claimed == "lost":
            return None
        if claimed == "busy":
            return Postpone("waits for another page that shares an entry", self.pause)
        new = [name for name, is_ours in zip(names, claimed, strict=True) if is_ours]
        rows = [
            entry_row(articles[names[name]], names[name], found.page, config, section.version, found.usage)
            for name in new
        ]
        what = "posts" if config.rows == "posts" else "entries"
        note = f"{LISTED}: {len(found.articles)} {what}, {len(rows)} new"
        has_known = len(new) < len(names) or not (lease.recheck and lease.recheck.thread)
        end = found.end if has_known else None  # else posts moved to pages before: so may have new ones
        recheck = next_list_recheck(
            config.revisit, lease.recheck, found.hash, has_new=bool(rows), now=self.ledger.clock(), thread=end
        )
        # `again`: a worker that died may have written some of the rows
        return WriteRows(rows, recheck, again=True, note=note, entries=new, thread=found.thread)

    def _near_duplicate(self, text: str, canonical: str) -> str | None:
        config = self.section.config
        if config.near_duplicates == "keep":
            return None
        return NearDuplicates(self.ledger.redis, config.task).first_like(text, canonical)
