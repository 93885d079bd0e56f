"""A cold agent on the official Python SDK of MCP, in one connection that starts without a token: it prints the id of its report. The SDK
checks each answer by its tool's output schema."""

import asyncio
import sys
from typing import Any

from mcp.client.client import Client


async def main(url: str, name: str, token: str, error: str, amended: str, followed: str) -> None:
    async with Client(url) as client:
        await client.list_tools()

        async def call(tool: str, **arguments: str) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            answer: dict[str, Any] | None = result.structured_content
            assert answer and not result.is_error, (tool, result)
            return answer

        if not token:
            token = (await call("register", name=name, type="agent", owner=name))["api_token"]
        problem = (await call("ask", text=error))["problem"]
        await call("report_outcome", id=problem["id"], revision=problem["revision"], outcome="worked", api_token=token)
        said = {"summary": f"{name} saw a relay stop", "category": "failure", "resolution": "Start it again."}
        stored = (await call("submit", **said, api_token=token))["id"]
        await call("update", id=stored, resolution=amended, api_token=token)
        await call("follow_up", id=stored, content=followed, api_token=token)
        await call("withdraw", id=stored, why="the cause was another", api_token=token)
        print(stored)


asyncio.run(main(*sys.argv[1:]))
