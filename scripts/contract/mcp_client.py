"""The official MCP SDK for Python does the whole job over two replicas: every second request goes to the other one."""

import asyncio
import itertools
import json
import sys
import uuid

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

FIRST, SECOND, TOKEN, OTHERS = sys.argv[1:]
READ = {"ask", "search", "get", "status"}
REPEATABLE = {"submit", "report_outcome", "flag"}


def connect(token, mode):
    turn = itertools.cycle(map(httpx2.URL, (FIRST, SECOND)))

    async def to_next(request):
        base = next(turn)
        request.url = request.url.copy_with(host=base.host, port=base.port)

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    http = httpx2.AsyncClient(headers=headers, event_hooks={"request": [to_next]}, timeout=60)
    return Client(streamable_http_client(FIRST + "/mcp", http_client=http), mode=mode)


async def call(client, name, fails=False, **arguments):
    """Calls a tool, which must fail or not, and returns its answer."""
    result = await client.call_tool(name, arguments)
    text = result.content[0].text
    assert len(text.encode()) < 8192, f"{name} answers with {len(text.encode())} bytes"
    answer = json.loads(text)
    assert result.is_error == fails, f"{name}: {answer}"
    return answer


async def job(mode):
    async with connect(TOKEN, mode) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == READ | REPEATABLE | {"register"}
        for tool in tools:
            hints = tool.annotations
            assert hints.read_only_hint == (tool.name in READ) and not hints.destructive_hint, f"{tool.name}: {hints}"
            assert hints.idempotent_hint or tool.name not in REPEATABLE, tool.name

        summary = f"Quoll bridge relayer stalls {uuid.uuid4()}"
        stored = await call(client, "submit", summary=summary, category="failure", idempotency_key=str(uuid.uuid4()))
        assert stored["status"] == "stored"
        item = await call(client, "get", id=stored["id"])
        assert item["summary"] == summary and item["content_trust"] == "untrusted"
        for _ in range(100):
            found = await call(client, "search", q=summary, limit=5)
            if any(hit["id"] == stored["id"] for hit in found["results"]):
                break
            await asyncio.sleep(0.2)
        else:
            raise AssertionError("what was submitted isn't found")
        assert "verdict" in await call(client, "ask", text=summary)
        await call(client, "report_outcome", id=OTHERS, outcome="worked")
        await call(client, "flag", id=OTHERS, reason="stale", severity="low")
        assert (await call(client, "status"))["submissions"] > 0
        problem = await call(client, "submit", fails=True, summary="without a category")
        assert (problem["code"], problem["errors"][0]["pointer"]) == ("invalid_field", "/category")
    async with connect("", mode) as stranger:
        problem = await call(stranger, "submit", fails=True, summary="x", category="general")
        assert problem["code"] == "missing_token"
    print(f"python: {mode}: {len(tools)} tools over two replicas")


for mode in ("legacy", "auto"):  # the initialize handshake, and what the SDK does by itself
    asyncio.run(job(mode))
