"""A folder of HTML as a little web: which files are pages, and what their URLs are."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

HTML_NAME = re.compile(r"html?|xht(ml)?|shtml?|phtml|php[345]?|aspx?|jspx?|cfm|cgi|do|dhtml", re.IGNORECASE)
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,4})$")
# What the URL standard leaves as it is in a path; a link written by hand to such a file has the same form.
_SAFE = "/!$&'()*+,;=:@~|[]"


def page_likelihood(path: str) -> str:
    """Whether a file is a page by its name: 'yes', 'no', or 'look' if only its content can tell.

    >>> [page_likelihood(name) for name in ("a.html", "b.png", "Mr._Smith", "view.php?id=3")]
    ['yes', 'no', 'look', 'yes']
    """
    name = path.rpartition("/")[2].partition("?")[0]
    extension = _EXTENSION.search(name)
    if extension is None:
        return "look"
    return "yes" if HTML_NAME.fullmatch(extension[1]) else "no"


def file_url(base_url: str, path: str) -> str:
    """The URL of a file by its path in the folder.

    >>> file_url("http://site/", "a b/50%.html")
    'http://site/a%20b/50%25.html'
    """
    return base_url.rstrip("/") + "/" + quote(os.fsencode(path.replace(os.sep, "/")), safe=_SAFE)


def folder_url(folder: str) -> str:
    """The URL that a folder gets from its name.

    >>> folder_url("/data/My_Site 2")
    'http://my-site-2/'
    """
    name = os.path.basename(folder.rstrip("/") if "://" in folder else os.path.abspath(folder))
    host = re.sub(r"[^\w.-]|_", "-", name.lower()).strip("-.")
    host = re.sub(r"\.{2,}", ".", host)
    try:
        host = host.encode("idna").decode("ascii")
    except UnicodeError:
        host = re.sub(r"[^a-z0-9.-]", "-", host)[:63].strip("-.")
    return f"http://{host or 'folder'}/"
