"""Hugo: a file of data (among the assets, which all versions of Hugo can read), and a partial that shows the box."""

from __future__ import annotations

from pagekin.exports.site_files import SiteMaker

HUGO = SiteMaker(
    data="assets/related_pages.json",
    template="layouts/partials/related-pages.html",
    ready="hugo/related-pages.html",
    next_step='put {{ partial "related-pages.html" . }} into the layout of your pages',
)
