"""How the service is run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ServeOptions:
    """What can be chosen when the service is begun; worker processes get a copy."""

    host: str = "127.0.0.1"
    port: int = 8000  # 0 for any that is free
    workers: int = 1  # processes, which share the files that are mapped into memory
    threads: int = 2  # of a process, for questions to the index
    timeout_seconds: float = 10.0  # for a request, from its first byte to the beginning of the answer
    most_bytes: int = 4 << 20  # of the body of a request
    remembered_bytes: int = 64 << 20  # of answers that a process keeps to give again
    origins: tuple[str, ...] = ()  # web sites whose scripts may ask (CORS)
    token: str = ""  # for what changes something; without one that is refused
    plain_logs: bool = False  # lines for a person in place of JSON
    root_path: str = ""  # the path under which a proxy shows the service
    proxies: str = "127.0.0.1"  # addresses of proxies whose word for who asks is taken
    report: Path | None = None  # the folder of an evaluation's report, shown with the web pages
    join: tuple[str, ...] = ()  # addresses of other services that are asked in place of an index
    open_later: bool = False  # begin to answer (with 503) before the index is open
