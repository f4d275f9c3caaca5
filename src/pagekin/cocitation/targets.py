"""What each address is as the target of a link: a file, a page, another spelling of a page (Shen et al., filters)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pagekin.copies import representatives
from pagekin.crawl.hosts import hosts_and_rests, sites_of_hosts
from pagekin.hashing import hash_texts
from pagekin.settings import CocitationSettings
from pagekin.tables import TARGETS

Named = tuple[str, pa.RecordBatch]
Ints = NDArray[np.int64]

FILE, DYNAMIC, RESPELLED, LOST, MIRRORED = 1, 2, 4, 8, 16  # the bits of TARGETS.kind

FETCHED = 1 << 40  # what it is worth for an address to be that of a fetched page: more than any number of links

FILE_ENDINGS = (
    "7z aac apk avi bin bmp bz2 c cab cc class cpp css csv deb dmg doc docx dvi eps epub exe flac flv gif gz h ico "
    "img iso jar jpe?g js json latex m4a m4v mid midi mkv mov mp3 mp4 mpe?g msi odp ods odt ogg ogv opus pdf png "
    "ppsx? pptx? ps psd ram rar rdf rm rpm rss rtf sit svg swf sxw tar tex tgz tiff? torrent ttf txt wav webm "
    "webp wma wmv woff2? xlsx? xml xpi xz z zip"
).split()
_FILE = rf"(?i)^[a-z]+://[^/]*/[^?]*\.(?:{'|'.join(FILE_ENDINGS)})(?:\?|$)"


class _Known(NamedTuple):
    """The addresses of a crawl: their ids, ascending, and how much each is worth as the one to keep."""

    pages: Ints
    worth: Ints

    def places(self, pages: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """Where these stand, and which of them do."""
        places = np.minimum(np.searchsorted(self.pages, pages), max(len(self.pages) - 1, 0))
        return places, self.pages[places] == pages if len(self.pages) else np.zeros(len(pages), np.bool_)

    def worth_of(self, pages: Ints) -> Ints:
        """The worth of each, -1 for what is not known."""
        places, known = self.places(pages)
        return np.where(known, self.worth[places], -1) if len(self.pages) else np.full(len(pages), -1)


def link_targets(
    batches: Iterable[pa.RecordBatch],
    urls: pa.Table,
    duplicates: pa.Table,
    mirrors: pa.Table,
    settings: CocitationSettings,
) -> Iterator[Named]:
    """TARGETS: for each address what a link to it counts for.

    Without mirrors and copies taken for one, a page and its copy would share the citations of both, and one would be
    the best answer for the other; and what a copy cites would be cited twice (Shen et al., conclusions).
    """
    if not settings.mirrors:
        duplicates, mirrors = duplicates.slice(0, 0), mirrors.slice(0, 0)
    worth = urls["in_links"].to_numpy() + FETCHED * urls["fetched"].to_numpy(zero_copy_only=False)
    known, copies = _Known(urls["page"].to_numpy(), worth), representatives(duplicates)
    for batch in batches:
        page = batch["page"].to_numpy()
        stands = copies.of(page)
        url = urls["url"].take(pa.array(np.searchsorted(known.pages, stands))).combine_chunks()
        if settings.dynamic:  # then an address with a query counts for the front page, which a copy of it must not
            lost = _mask(pc.match_substring(url, "?")) & ~_mask(pc.match_substring(batch["url"], "?"))
            stands, url = np.where(lost, page, stands), pc.if_else(pa.array(lost), batch["url"], url)
        alone = (stands == page) & ~np.isin(page, duplicates["representative"].to_numpy())
        own = hash_texts(sites_of_hosts(hosts_and_rests(batch["url"])[0]))
        yield "targets", _targets(Spoken(page, stands, alone, url, own), known, mirrors, settings)


class Spoken(NamedTuple):
    """Pages that links speak of; which stands for each, whether it has no copies, and the address of that page."""

    page: Ints
    stands: Ints
    alone: NDArray[np.bool_]
    url: pa.StringArray
    own_site: Ints


def _targets(spoken: Spoken, known: _Known, mirrors: pa.Table, settings: CocitationSettings) -> pa.RecordBatch:
    """TARGETS of some pages; a page that has copies is not looked for on other hosts."""
    page, stands, alone, url, own = spoken
    host, rest = hosts_and_rests(url)
    file = _mask(pc.match_substring_regex(url, _FILE))
    dynamic = _mask(pc.match_substring(rest, "?")) & ~file & settings.dynamic
    rest = pc.if_else(pa.array(dynamic), "/", rest)
    named = _ids(host, rest)
    original = _originals(host, mirrors)
    mirrored = alone & (_ids(original, rest) != named) & (known.worth_of(_ids(original, rest)) >= FETCHED)
    host = _spelled(pc.if_else(pa.array(mirrored), original, host), rest, known)
    target = _ids(host, rest)
    mirrored |= stands != page
    respelled = ~mirrored & (target != named)
    kind = FILE * file + DYNAMIC * dynamic + RESPELLED * respelled + LOST * (known.worth_of(target) < 0)
    columns = [page, target, hash_texts(sites_of_hosts(host)), (kind + MIRRORED * mirrored).astype(np.int32), own]
    return pa.record_batch([pa.array(column) for column in columns], schema=TARGETS)


def _originals(hosts: pa.StringArray, mirrors: pa.Table) -> pa.StringArray:
    """Each host, or the one that stands for it."""
    if not mirrors.num_rows:
        return hosts
    original = dict(zip(mirrors["host"].to_pylist(), mirrors["original"].to_pylist(), strict=True))
    encoded = hosts.dictionary_encode()
    named = [original.get(host, host) for host in encoded.dictionary.to_pylist()]
    return pa.array(named, pa.string()).take(encoded.indices)


def _ids(host: pa.StringArray, rest: pa.StringArray) -> Ints:
    """The pages at addresses without their schemes."""
    return hash_texts(pc.binary_join_element_wise(host, rest, ""))


def _mask(column: pa.BooleanArray) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = column.to_numpy(zero_copy_only=False).astype(np.bool_)
    return mask


def _spelled(host: pa.StringArray, rest: pa.StringArray, known: _Known) -> pa.StringArray:
    """With or without www., as the page was fetched or, if that does not tell, as most links have it."""
    has_www = pc.starts_with(host, "www.")
    other = pc.if_else(has_www, pc.utf8_slice_codeunits(host, 4), pc.binary_join_element_wise("www.", host, ""))
    here, there = known.worth_of(_ids(host, rest)), known.worth_of(_ids(other, rest))
    better = (there > here) | ((there == here) & (there >= 0) & _mask(has_www))
    return pc.if_else(pa.array(better), other, host)


def spelled_pages(pages: Ints, targets: pa.Table) -> Ints:
    """The page whose co-cited pages are those of each page: itself, its other spelling, or what it mirrors.

    A page with a query is itself, even where links to it count for the front page of its host.
    """
    rows = targets.take(pa.array(np.searchsorted(targets["page"].to_numpy(), pages)))
    return np.where(rows["kind"].to_numpy() & DYNAMIC, pages, rows["target"].to_numpy())
