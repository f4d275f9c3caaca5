"""What the service writes down: one JSON object a line, or lines for a person."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

from pagekin.plain_text import shown

NAMES = ("pagekin.server", "uvicorn", "uvicorn.error")


class JsonLines(logging.Formatter):
    """A record as one JSON object: time, level, event, and what else is known."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


class PlainLines(logging.Formatter):
    """A record as a line for a person."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        line = shown(f"{moment} {record.levelname.lower()} {record.getMessage()} {fields}")
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def set_up_logs(plain: bool, stream: TextIO | None = None) -> None:
    """Have the service and uvicorn write to standard error."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(PlainLines() if plain else JsonLines())
    for name in NAMES:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler] if name != "uvicorn.error" else [], name == "uvicorn.error"
        logger.setLevel(logging.INFO)
