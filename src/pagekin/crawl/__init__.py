"""Crawl files in, captures out: WARC, ARC, WACZ, folders of HTML, from disk or any file system of fsspec.

Read in this order: `inputs` (what was given), `archive`, `warc`, `arc`, `wacz`, `folder` (what is in it),
`http`, `encoding` (what a page's bytes mean), `captures` (the rows that come out).
"""
