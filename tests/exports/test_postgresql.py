"""A table in a PostgreSQL server that is started for these tests."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagekin.errors import ExportFailed
from pagekin.exports.postgresql import TABLE, write_postgresql
from pagekin.exports.rows import Neighbour, PageRow, Pair

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed, so PostgreSQL is not written to")

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
OTHER = [PageRow("http://z.test/", "Z", (Neighbour(1, "http://y.test/", "Y", 0.25),))]


def programs() -> Path:
    """The folder of PostgreSQL's programs, or no test."""
    found = shutil.which("pg_ctl")
    places = [Path(os.path.realpath(found)).parent] if found else []
    places += [path for place in PLACES for path in sorted(Path("/").glob(place.lstrip("/")))]
    if not places:
        pytest.skip("there is no PostgreSQL server here (no pg_ctl), so none is written to")
    return places[-1]


def as_user(folder: Path) -> list[str]:
    """What begins a command that a server must not run as root."""
    if os.geteuid() != 0:
        return []
    names = {user.pw_name for user in pwd.getpwall()} & {"postgres", "nobody"}
    if not names or shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
    user = pwd.getpwnam(max(names))
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of its own, without a port on the network."""
    bin_ = programs()
    with tempfile.TemporaryDirectory(prefix="pagekin-postgresql-") as name:
        folder = Path(name)
        before = as_user(folder)
        data = str(folder / "data")
        quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
        init = [str(bin_ / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*before, *init], **quiet)
        control = [*before, str(bin_ / "pg_ctl"), "-D", data, "-w"]
        options = f"-F -k {folder} -c listen_addresses="
        subprocess.run([*control, "-l", str(folder / "log"), "-o", options, "start"], **quiet)
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **quiet)


@pytest.fixture
def database(server: str) -> Iterator[Any]:
    """A connection to the server, in which nothing is left of another test."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        yield connection


def stored(database: Any, table: str = TABLE) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = database.execute(f"SELECT * FROM {table} ORDER BY url, rank").fetchall()
    return found


def tables(database: Any) -> list[str]:
    found = database.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE '%related%'")
    return sorted(name for (name,) in found)


def test_all_pairs_are_there(database: Any, server: str, rows: list[PageRow], expected: list[Pair]) -> None:
    write_postgresql(rows, server)
    assert stored(database) == expected


def test_there_is_an_index_on_the_address(database: Any, server: str, rows: list[PageRow]) -> None:
    write_postgresql(rows, server)
    (definition,) = database.execute("SELECT indexdef FROM pg_indexes WHERE tablename = %s", [TABLE]).fetchone()
    assert definition.endswith("USING btree (url, rank)")


def test_a_second_export_replaces_the_first(database: Any, server: str, rows: list[PageRow]) -> None:
    write_postgresql(rows, server)
    write_postgresql(OTHER, server)
    assert stored(database) == [("http://z.test/", "Z", 1, "http://y.test/", "Y", 0.25)]
    assert tables(database) == [TABLE]


def test_a_character_that_the_server_does_not_know_is_left_out(database: Any, server: str) -> None:
    write_postgresql([PageRow("http://a.test/", "a\0b", (Neighbour(1, "http://b.test/", "\0", 0.5),))], server)
    assert stored(database) == [("http://a.test/", "ab", 1, "http://b.test/", "", 0.5)]


def test_a_fault_on_the_way_leaves_the_old_table(
    database: Any, server: str, rows: list[PageRow], expected: list[Pair]
) -> None:
    def failing() -> Iterator[PageRow]:
        yield OTHER[0]
        raise ZeroDivisionError

    write_postgresql(rows, server)
    with pytest.raises(ZeroDivisionError):
        write_postgresql(failing(), server)
    assert stored(database) == expected
    assert tables(database) == [TABLE]


def test_a_table_of_somebody_else_is_replaced_only_with_force(database: Any, server: str, rows: list[PageRow]) -> None:
    database.execute(f"CREATE TABLE {TABLE} (mine integer)")
    with pytest.raises(ExportFailed, match="was not made by pagekin; give --force"):
        write_postgresql(rows, server)
    assert stored_columns(database) == ["mine"]
    write_postgresql(rows, server, force=True)
    assert len(stored(database)) == 3


def stored_columns(database: Any) -> list[str]:
    cursor = database.execute(f"SELECT * FROM {TABLE}")
    return [column.name for column in cursor.description]


def test_a_table_can_have_any_name_in_any_schema(database: Any, server: str, rows: list[PageRow]) -> None:
    database.execute("CREATE SCHEMA IF NOT EXISTS kin")
    name = 'kin.Related "of" all'
    write_postgresql(rows, server, name)
    write_postgresql(OTHER, server, name)
    assert len(stored(database, 'kin."Related ""of"" all"')) == 1


def test_a_table_that_a_view_depends_on_stays(
    database: Any, server: str, rows: list[PageRow], expected: list[Pair]
) -> None:
    write_postgresql(rows, server)
    database.execute(f"CREATE VIEW near AS SELECT * FROM {TABLE}")
    with pytest.raises(ExportFailed, match="view near depends on table"):
        write_postgresql(OTHER, server)
    assert stored(database) == expected


@pytest.mark.parametrize("name", ["", "a.b.c", ".a"])
def test_what_is_no_name_of_a_table_is_refused(database: Any, server: str, name: str) -> None:
    with pytest.raises(ExportFailed, match="no name of a table"):
        write_postgresql([], server, name)


def test_who_may_read_the_old_table_may_read_the_new(database: Any, server: str, rows: list[PageRow]) -> None:
    write_postgresql(rows, server)
    database.execute("DROP ROLE IF EXISTS reader")
    database.execute("CREATE ROLE reader")
    database.execute(f"GRANT SELECT ON {TABLE} TO reader, PUBLIC")
    write_postgresql(OTHER, server)
    grants = database.execute(
        "SELECT grantee, privilege_type FROM information_schema.role_table_grants"
        " WHERE table_name = %s AND grantee <> 'postgres'",
        [TABLE],
    ).fetchall()
    assert sorted(grants) == [("PUBLIC", "SELECT"), ("reader", "SELECT")]
    database.execute(f"REVOKE ALL ON {TABLE} FROM reader")


def test_a_reader_who_does_not_end_is_left_alone(
    database: Any, server: str, rows: list[PageRow], expected: list[Pair]
) -> None:
    write_postgresql(rows, server)
    with psycopg.connect(server) as reader:
        assert stored(reader) == expected
        with pytest.raises(ExportFailed, match="lock timeout; the table is as it was"):
            write_postgresql(OTHER, server, wait_seconds=0)
        assert stored(reader) == expected


def test_others_can_read_while_an_export_waits(
    database: Any, server: str, rows: list[PageRow], expected: list[Pair]
) -> None:
    write_postgresql(rows, server)
    with psycopg.connect(server) as reader:
        stored(reader)
        export = threading.Thread(target=write_postgresql, args=(OTHER, server))
        export.start()
        while not waits_for_a_lock(database):
            assert export.is_alive()
        assert stored(database) == expected
    export.join()
    assert len(stored(database)) == 1


def waits_for_a_lock(database: Any) -> bool:
    (count,) = database.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
    return bool(count)


def test_a_server_that_is_not_there_is_told_of_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(ExportFailed, match="PostgreSQL refused: ") as fault:
        write_postgresql([], f"postgresql://jo:secret-word@/shop?host={tmp_path}")
    assert "secret-word" not in str(fault.value)
