"""A page, a text or an HTML file in; related pages out, with the reasons."""
