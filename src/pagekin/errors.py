"""What can go wrong, as a tree; each message says what, where, found, expected, and what to do.

PagekinError
├── SettingsError       a setting that does not exist or has a value that cannot be
├── CrawlError          an input that cannot be read as what it claims to be
├── IndexUnusable       no index there, one of another version, or one that is damaged
├── TargetExists        something stands where the new index should go
├── TruthError          a directory or a list of related pages that cannot be used to judge this crawl
├── QueryError          a keyword query that cannot be read
├── ThesaurusError      a file of synonyms that cannot be read as one
├── StepFailed          a step of a build ended by a fault that is not the input's
├── SparkUnusable       no Spark or no Java that it can run on, or a cluster that does not answer
├── ExportFailed        a database that cannot be written to, or a library that is not installed
├── ServerFailed        another server that gave no answer, or one that cannot be understood
├── QueryTimeout        a query that would take longer than it may
└── UnknownPage         a page that this index has never heard of: an answer, not a mistake
"""


class PagekinError(Exception):
    """The root of all that pagekin raises on purpose; its text is fit to be shown to a person."""


class SettingsError(PagekinError):
    """A setting that does not exist or has a value that cannot be."""


class CrawlError(PagekinError):
    """An input that cannot be read as what it claims to be."""


class IndexUnusable(PagekinError):
    """No index there, one of another version, or one that is damaged."""


class TargetExists(PagekinError):
    """Something stands where the new index should go."""


class TruthError(PagekinError):
    """A directory or a list of related pages that cannot be used to judge this crawl."""


class QueryError(PagekinError):
    """A keyword query that cannot be read; `caret` is the query with the fault written under its place."""

    def __init__(self, message: str, caret: str = "") -> None:
        super().__init__(message)
        self.caret = caret or message


class ThesaurusError(PagekinError):
    """A file of synonyms that cannot be read as one."""


class StepFailed(PagekinError):
    """A step of a build ended by a fault that is not the input's."""


class SparkUnusable(PagekinError):
    """No Spark or no Java that it can run on, or a cluster that does not answer."""


class ExportFailed(PagekinError):
    """A database that cannot be written to, or a library that is not installed."""


class ServerFailed(PagekinError):
    """Another server that gave no answer, or one that cannot be understood."""


class QueryTimeout(PagekinError):
    """A query that would take longer than it may."""


class UnknownPage(PagekinError):
    """A page that this index has never heard of: an answer, not a mistake."""
