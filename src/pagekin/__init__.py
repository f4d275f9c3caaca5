"""pagekin finds the pages related to a page, in any crawl of the web, and says why."""
