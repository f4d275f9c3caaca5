"""PostgreSQL: a table built beside the old one and put in its place in one transaction.

Readers see the old table until the new one is whole. A reader in the midst of a long transaction is not waited for
with the door shut: the swap gives up its place in the queue after a moment, and tries again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pagekin.errors import ExportFailed
from pagekin.exports.rows import COLUMNS, PageRow, pairs

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Identifier

TABLE = "pagekin_related"
MARK = "The related pages of a crawl, written by pagekin export."  # the comment by which an own table is known
LOCK_MILLISECONDS = 500
WAIT_SECONDS = 60.0
_PAUSE_SECONDS = 1.0


def write_postgresql(
    rows: Iterable[PageRow],
    address: str,
    table: str = TABLE,
    *,
    force: bool = False,
    wait_seconds: float = WAIT_SECONDS,
) -> None:
    """Put all pairs into a table; one that pagekin has not written is replaced only with `force`."""
    with _connection(address) as connection:
        swap = _Swap(connection, table)
        swap.check(force)
        swap.fill(rows)
        swap.replace(wait_seconds)


@contextmanager
def _connection(address: str) -> Iterator[Connection[Any]]:
    """A connection in one transaction; faults of the server are told in a sentence."""
    try:
        import psycopg
    except ImportError:
        raise ExportFailed(
            "PostgreSQL needs another library; install it with: pip install 'pagekin[postgresql]'"
        ) from None
    try:
        with psycopg.connect(address, application_name="pagekin export") as connection:
            yield connection
    except psycopg.Error as fault:
        said = " ".join(str(fault).split()) or type(fault).__name__
        raise ExportFailed(f"PostgreSQL refused: {said}; the table is as it was") from None


class _Swap:
    """A table, and the new one that is to take its place."""

    def __init__(self, connection: Connection[Any], table: str) -> None:
        from psycopg.sql import Identifier

        names = table.split(".")
        if not all(names) or len(names) > 2:
            raise ExportFailed(f"{table!r} is no name of a table; give TABLE or SCHEMA.TABLE")
        self.connection, self.names = connection, names
        self.table = Identifier(*names)
        self.new_name = f"{names[-1][:40]}_new_{connection.info.backend_pid}"
        self.new = Identifier(*names[:-1], self.new_name)

    def _run(self, query: str, *names: Identifier) -> list[tuple[Any, ...]]:
        from psycopg.sql import SQL

        cursor = self.connection.execute(SQL(query).format(*names))
        return cursor.fetchall() if cursor.description else []

    def _oid(self) -> int | None:
        found = self.connection.execute("SELECT to_regclass(%s)::oid", [self.table.as_string(self.connection)])
        row = found.fetchone()
        oid: int | None = row[0] if row else None
        return oid

    def check(self, force: bool) -> None:
        """Complain of a table that somebody else has made."""
        oid = self._oid()
        if oid is None or force:
            return
        said = self.connection.execute("SELECT obj_description(%s, 'pg_class')", [oid]).fetchone()
        if said != (MARK,):
            name = ".".join(self.names)
            raise ExportFailed(
                f"the table {name} was not made by pagekin; give --force to replace it, or another --table"
            )

    def fill(self, rows: Iterable[PageRow]) -> None:
        """Make the new table."""
        from psycopg.sql import SQL, Identifier

        self._run("SET LOCAL statement_timeout = 0")  # rows come as fast as they are found, which takes its time
        self._run(
            "CREATE TABLE {} (url text NOT NULL, title text NOT NULL, rank integer NOT NULL,"
            " related_url text NOT NULL, related_title text NOT NULL, score double precision NOT NULL)",
            self.new,
        )
        columns = SQL(", ").join(map(Identifier, COLUMNS))
        into = SQL("COPY {} ({}) FROM STDIN").format(self.new, columns)
        with self.connection.cursor() as cursor, cursor.copy(into) as copy:
            for pair in pairs(rows):
                copy.write_row([value.replace("\0", "") if isinstance(value, str) else value for value in pair])
        self._run("CREATE INDEX ON {} (url, rank)", self.new)
        self._run("ANALYZE {}", self.new)
        self._run("COMMENT ON TABLE {} IS " + f"'{MARK}'", self.new)

    def replace(self, wait_seconds: float) -> None:
        """Put the new table in the place of the old; who may read the old one may read the new."""
        from psycopg.errors import LockNotAvailable

        deadline = time.monotonic() + wait_seconds
        self._run(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}")
        while True:
            try:
                with self.connection.transaction():
                    return self._swap()
            except LockNotAvailable:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_SECONDS)

    def _swap(self) -> None:
        from psycopg.sql import Identifier

        oid = self._oid()
        if oid is not None:
            self._run("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", self.table)
            self._copy_grants(oid)
            self._run("DROP TABLE {}", self.table)
        self._run("ALTER TABLE {} RENAME TO {}", self.new, Identifier(self.names[-1]))

    def _copy_grants(self, oid: int) -> None:
        from psycopg.sql import SQL, Identifier

        grants = self.connection.execute(
            "SELECT privilege_type, CASE WHEN grantee = 0 THEN NULL ELSE pg_get_userbyid(grantee) END"
            " FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = %s AND grantee <> relowner",
            [oid],
        ).fetchall()
        for privilege, role in grants:
            whom = Identifier(role) if role else SQL("PUBLIC")
            self.connection.execute(SQL("GRANT {} ON {} TO {}").format(SQL(privilege), self.new, whom))
