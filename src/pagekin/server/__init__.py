"""The service: the answers of an index over HTTP, as JSON and as web pages."""
