"""The version of pagekin."""

VERSION = "0.1.0"
