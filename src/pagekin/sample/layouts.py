"""The templates of sites: navigation, the text, a column beside it, and a footer, in five fashions of HTML.

In each of them the navigation comes first, then the text, then what stands beside it, then the footer.
"""

from __future__ import annotations

from dataclasses import dataclass

from pagekin.sample.sites import COPYRIGHT_URL, Page, Site

MODERN = """<!DOCTYPE html>
<html lang="en">
<head>{meta}<title>{title} - {name}</title>{head}
<style>body {{ margin: 2em; }} nav ul {{ list-style: none; }}</style>
</head>
<body>
<header><nav><ul>{nav}</ul></nav></header>
<main>
<h1>{title}</h1>
{main}
</main>
{beside}
<footer><p>Copyright 2004 {name}. {footer}</p></footer>
</body>
</html>
"""
TABLE = """<html><head>{meta}<title>{title}</title>{head}</head>
<body bgcolor="#ffffff" text="#000000">
<table width="100%" cellpadding="4"><tr>
<td width="150" bgcolor="#ccddee" valign="top">{nav}</td>
<td valign="top"><h2>{title}</h2>
{main}
{beside}
</td></tr>
<tr><td colspan="2" bgcolor="#eeeeee"><font size="1">{name}, 2004. {footer}</font></td></tr>
</table></body></html>
"""
PLAIN = """<html>
<head>{meta}<title>{title}</title>{head}</head>
<body>
<p>{nav}</p>
<hr>
<h1>{title}</h1>
{main}
<hr>
{beside}
<hr>
<address>{name}. {footer}</address>
</body>
</html>
"""
LOUD = """<HTML><HEAD>{meta}<TITLE>{title}</TITLE>{head}</HEAD>
<BODY BGCOLOR="#FFFFE0">
<CENTER><FONT SIZE="5" COLOR="#800000"><B>{name}</B></FONT><BR>{nav}</CENTER>
<P><FONT SIZE="4"><B>{title}</B></FONT>
<P>{main}
<P>{beside}
<HR><CENTER><FONT SIZE="2">{footer}</FONT></CENTER>
</BODY></HTML>
"""
BLOG = """<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN">
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>{meta}<title>{name}: {title}</title>{head}
<script type="text/javascript">var page = "<a href='nowhere'>"; // no link
</script></head>
<body><!-- template 3.2 -->
<div id="banner">{nav}</div>
<div id="post" class="entry"><h2>{title}</h2>
{main}
</div>
<div id="side" style="background-color: #f4f4f4">{beside}</div>
<div id="foot" style="font-size: small">Written with care. {footer}</div>
</body></html>
"""
STYLES = {"modern": MODERN, "table": TABLE, "plain": PLAIN, "loud": LOUD, "blog": BLOG}
STYLES_OF_KIND = {
    "journal": ("modern", "table", "blog"), "blog": ("blog",), "shop": ("modern", "table"),
    "handbook": ("modern", "plain"), "club": ("loud", "table", "plain"),
    "hub": ("modern", "table", "plain", "loud"),
    "copies": ("blog", "plain"), "odd": ("plain",), "spam": ("loud", "table"), "mirror": ("modern",),
}  # fmt: skip
BETWEEN_NAV = {"modern": "\n", "table": "<br>\n", "plain": " | ", "loud": " &middot; ", "blog": " "}


@dataclass(frozen=True)
class Link:
    """A link of a template: what stands in `href`, where it leads, and its text."""

    href: str
    url: str
    text: str

    @property
    def html(self) -> str:
        """The link as HTML."""
        return f'<a href="{self.href}">{self.text}</a>'


def style(site: Site) -> str:
    """The name of the template that all pages of a site share."""
    return site.dice("style").pick(STYLES_OF_KIND[site.kind])


def link_within(site: Site, path: str, text: str) -> Link:
    """A link to a page of the same site; a handbook has a base and needs no more than the path."""
    start = {"handbook": "", "shop": site.root}.get(site.kind, "/")
    return Link(_escaped(start + path) or "./", site.root + path, text)


def _escaped(url: str) -> str:
    return url.replace("&", "&amp;")


def navigation(site: Site) -> list[Link]:
    """The links at the top of every page of a site."""
    if site.kind == "mirror":
        return []
    shown = [page for page in site.all_pages[1:6] if page.role == "article"]
    return [link_within(site, "", "Home"), *(link_within(site, page.path, page.title) for page in shown)]


def footer(site: Site) -> list[Link]:
    """The links at the bottom of every page: to the site's own, and to the copyright page of all sites."""
    return [
        link_within(site, "about.html", "About us"),
        link_within(site, "contact.html", "Contact"),
        Link(COPYRIGHT_URL, COPYRIGHT_URL, "Copyright notice"),
    ]


def laid_out(page: Page, title: str, main: str, beside: str = "", head: str = "", meta: str = "") -> str:
    """A whole page in the template of its site."""
    site, name = page.site, style(page.site)
    nav = BETWEEN_NAV[name].join(
        f"<li>{link.html}</li>" if name == "modern" else link.html for link in navigation(site)
    )
    return STYLES[name].format(
        title=title, name=site.name, meta=meta, head=head, nav=nav, main=main, beside=beside,
        footer=" | ".join(link.html for link in footer(site)),
    )  # fmt: skip
