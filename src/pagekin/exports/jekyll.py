"""Jekyll: a data file, and an include that shows the box."""

from __future__ import annotations

from pagekin.exports.site_files import SiteMaker

JEKYLL = SiteMaker(
    data="_data/related_pages.json",
    template="_includes/related-pages.html",
    ready="jekyll/related-pages.html",
    next_step="put {% include related-pages.html %} into the layout of your pages",
)
