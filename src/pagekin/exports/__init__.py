"""The related pages of all pages, as files and tables that other programs read: one module a format."""
