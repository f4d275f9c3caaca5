"""The command line: one file a command. A command's module is loaded when it is asked for, so that help is quick."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from pagekin.errors import PagekinError, QueryError, UnknownPage
from pagekin.version import VERSION

COMMANDS = (
    "demo", "sample", "build", "related", "search", "terms", "blocks", "duplicates", "advise", "export", "serve", "mcp",
    "evaluate", "tune", "info",
)  # fmt: skip


class _Commands(click.Group):
    """Loads a command when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"pagekin.cli.{cmd_name}"), cmd_name)
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="pagekin")
def commands() -> None:
    """Find the pages that are related to a page, in any crawl of the web.

    \b
    Example:
      pagekin demo
      pagekin build site/ -o site.kin
      pagekin related site.kin http://site/ --explain
      pagekin search site.kin "honey bees"
      pagekin serve site.kin
    """


def main() -> None:
    """Run a command; a mistake of the user's ends with one sentence and status 2, a mere "no" with 1."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # takes a fifth less memory than Arrow's own
    # Threads of linear algebra wait for each other by turning round, on matrices too small to share: four fifths of
    # the processor time of learning concepts went there. What is done at once is told by --workers.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        status = commands.main(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        sys.exit(_said("interrupted; nothing was changed, and build --resume goes on from here", 130))
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except UnknownPage as error:
        sys.exit(_said(str(error), 1))
    except QueryError as error:
        sys.exit(_said(f"the query cannot be read\n{error.caret}" if error.caret != str(error) else str(error), 2))
    except PagekinError as error:
        sys.exit(_said(str(error), 2))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        sys.exit(_said(f"{error.filename or 'pagekin'}: {error.strerror or error}", 2))
    sys.exit(status if isinstance(status, int) else 0)


def _said(message: str, status: int) -> int:
    click.echo(f"pagekin: {message}", err=True)
    return status
