"""pagekin mcp: the answers of an index for agents."""

from __future__ import annotations

from pathlib import Path

import click

from pagekin.errors import SettingsError


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
def mcp(index: Path) -> None:
    """Serve INDEX to an agent over standard input and output, by the Model Context Protocol.

    The tools are related, search and page. The program of the agent starts this command and ends it.

    \b
    Example:
      pagekin mcp site.kin
    """
    try:
        from pagekin.agents import agent_server  # loads the compiled kernels, which help does not need
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "mcp":
            raise
        raise SettingsError("agents need another library; install it with: pip install 'pagekin[mcp]'") from None
    from pagekin.index import open_index

    agent_server(open_index(index)).run("stdio")
