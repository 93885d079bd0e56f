"""The official MCP SDK for Python does the whole job over two replicas: every second request goes to the other one."""

import asyncio
import itertools
import json
import sys
import uuid

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

TOOLS = {"search", "get", "status", "submit", "report_outcome", "flag"}
READS = {"search", "get", "status"}


def check(holds, what):
    if not holds:
        sys.exit(f"python: {what}")


def connect(replicas, token, mode, answered):
    """A client whose requests go to the replicas in turn."""
    turn = itertools.cycle(replicas)

    async def to_next(request):
        base = httpx2.URL(next(turn))
        answered.append(str(base))
        request.url = request.url.copy_with(host=base.host, port=base.port)

    http = httpx2.AsyncClient(
        headers={"Authorization": f"Bearer {token}"} if token else {}, event_hooks={"request": [to_next]}, timeout=60
    )
    return Client(streamable_http_client(replicas[0] + "/mcp", http_client=http), mode=mode)


async def call(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    text = result.content[0].text
    check(len(text.encode()) < 8192, f"{name} answers with {len(text.encode())} bytes")
    answer = json.loads(text)
    check(result.is_error or result.structured_content == answer, f"{name}: text and structured content differ")
    return result.is_error, answer


async def job(replicas, token, others, mode):
    answered = []
    async with connect(replicas, token, mode, answered) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        check(set(tools) == TOOLS, f"tools are {sorted(tools)}")
        for name, tool in tools.items():
            hints = tool.annotations
            check(hints.read_only_hint is (name in READS), f"{name}: read-only hint {hints.read_only_hint}")
            check(hints.destructive_hint is False, f"{name} may be taken for destructive")
            check(hints.idempotent_hint is True, f"{name} may not be tried again")
            check(tool.output_schema, f"{name} doesn't describe its output")

        summary = f"Quoll bridge relayer stalls {uuid.uuid4()}"
        failed, stored = await call(client, "submit", summary=summary, category="failure", idempotency_key=str(uuid.uuid4()))
        check(not failed and stored["status"] == "stored", f"submit: {stored}")
        failed, item = await call(client, "get", collection="submissions", id=stored["id"])
        check(not failed and item["summary"] == summary and item["content_trust"] == "untrusted", f"get: {item}")
        for _ in range(100):
            failed, found = await call(client, "search", q=summary, limit=5)
            check(not failed, f"search: {found}")
            if any(hit["id"] == stored["id"] for hit in found["results"]):
                break
            await asyncio.sleep(0.2)
        else:
            check(False, "what was submitted isn't found")
        target = {"collection": "submissions", "id": others}
        failed, outcome = await call(client, "report_outcome", target=target, outcome="worked")
        check(not failed, f"report_outcome: {outcome}")
        failed, flag = await call(client, "flag", target=target, reason="stale", severity="low")
        check(not failed, f"flag: {flag}")
        failed, status = await call(client, "status")
        check(not failed and status["submissions"] > 0, f"status: {status}")

        failed, problem = await call(client, "submit", summary="without a category")
        check(failed and problem["code"] == "invalid_field" and problem["errors"][0]["pointer"] == "/category", f"an error: {problem}")
    async with connect(replicas, "", mode, []) as stranger:
        failed, problem = await call(stranger, "submit", summary="x", category="general")
        check(failed and problem["code"] == "missing_token", f"without a token: {problem}")
    check(len(set(answered)) == len(replicas), "one replica answered everything")
    print(f"python: {mode}: {len(tools)} tools, {len(answered)} requests over {len(set(answered))} replicas")


async def main():
    first, second, token, others = sys.argv[1:]
    for mode in ("legacy", "auto"):  # the initialize handshake, and what the SDK does by itself
        await job([first, second], token, others, mode)


asyncio.run(main())
