"""The sample web: a generator of crawls with a known truth."""

from pagekin.sample.web import SampleSummary, write_sample

__all__ = ["SampleSummary", "write_sample"]
