"""Strategies tried on a crawl: what joins the steps, the stores and the judges for `evaluate` and `tune`."""
