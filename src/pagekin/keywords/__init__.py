"""From PAGES to what is searched by words."""
