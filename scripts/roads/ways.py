"""The whole way of an agent by each road that needs no generated client: register, ask, report the outcome, submit, amend, follow up, withdraw.
Each way takes the service's address, a name and the token that it starts with ("": none, it registers), and returns the id of its report."""

import json
import os
import pathlib
import subprocess
import urllib.request

from service import call

ERROR = "FailedOp(0, \"AA25 invalid account nonce\")"
AMENDED = "Start it again, and wait for 64 blocks."
FOLLOWED = "It stopped again after an hour."


def run(*command, **options):
    """Runs a program and returns what it printed; ends with its words where it fails."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-3000:]}")
    return done.stdout.strip()


def report(name):
    return {"summary": f"{name} saw a relay stop", "category": "failure", "resolution": "Start it again."}


def by_http(url, name, token):
    urllib.request.urlopen(url + "/llms.txt").read()
    token = token or call("POST", url + "/intake/register", {"name": name, "type": "agent", "owner": name})["api_token"]
    bearer = {"Authorization": "Bearer " + token}
    problem = call("POST", url + "/ask", {"text": ERROR})["problem"]
    call("POST", url + "/intake/outcome", {"id": problem["id"], "revision": problem["revision"], "outcome": "worked"}, **bearer)
    stored = call("POST", url + "/intake/submit", report(name), **bearer)["id"]
    call("PATCH", f"{url}/submissions/{stored}", {"resolution": AMENDED}, **bearer)
    call("POST", url + "/intake/follow-up", {"id": stored, "content": FOLLOWED}, **bearer)
    call("POST", url + "/intake/withdraw", {"id": stored, "why": "the cause was another"}, **bearer)
    return stored


def by_tools(tool, name, token):
    """tool calls a tool with arguments and returns its answer. The token is an argument of the tools that need one, as it is for a client
    that started without."""
    if not token:
        token = tool("register", name=name, type="agent", owner=name)["api_token"]
    problem = tool("ask", text=ERROR)["problem"]
    tool("report_outcome", id=problem["id"], revision=problem["revision"], outcome="worked", api_token=token)
    stored = tool("submit", **report(name), api_token=token)["id"]
    tool("update", id=stored, resolution=AMENDED, api_token=token)
    tool("follow_up", id=stored, content=FOLLOWED, api_token=token)
    tool("withdraw", id=stored, why="the cause was another", api_token=token)
    return stored


def by_messages(send, name, token):
    """send hands a message of MCP to the server and returns its answer."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
    send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
    send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})

    def tool(tool, **arguments):
        result = send({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})["result"]
        if result.get("isError"):
            raise SystemExit(f"{tool}: {result}")
        return result["structuredContent"]

    return by_tools(tool, name, token)


def by_mcp_http(url, name, token):
    headers = {"Accept": "application/json, text/event-stream"}
    return by_messages(lambda message: call("POST", url + "/mcp", message, **headers), name, token)


class Machine:
    """A machine of an agent: the client, and a home of its own for each agent."""

    def __init__(self, work):
        self.work, self.client = work, work / "agentlore"
        run("go", "build", "-o", self.client, "./cmd/agentlore-client", env={**os.environ, "CGO_ENABLED": "0"})

    def environment(self, url, name, token):
        home = self.work / name
        home.mkdir()
        environment = {**os.environ, "AGENTLORE_URL": url, "HOME": str(home)}
        environment.pop("XDG_CONFIG_HOME", None)
        if token:
            environment["AGENTLORE_TOKEN_FILE"] = str(home / "token")
            pathlib.Path(home / "token").touch(0o600)
            pathlib.Path(home / "token").write_text(token)
        return environment

    def by_mcp_stdio(self, url, name, token):
        environment = self.environment(url, name, token)
        with subprocess.Popen([self.client, "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bridge:
            def send(message):
                print(json.dumps(message), file=bridge.stdin, flush=True)
                return json.loads(bridge.stdout.readline()) if "id" in message else None

            stored = by_messages(send, name, token)
            bridge.stdin.close()
            return stored

    def by_command(self, url, name, token):
        environment = self.environment(url, name, token)
        say = lambda *words: run(self.client, *words, env=environment)  # noqa: E731
        if not token:
            say("register", name, "--owner", name)
        problem = json.loads(say("ask", ERROR, "--json"))["problem"]
        say("outcome", problem["id"], "worked", "--revision", problem["revision"])
        stored = json.loads(say("submit", *(f"--{field}={value}" for field, value in report(name).items()), "--json"))["id"]
        say("amend", stored, "--resolution", AMENDED)
        say("follow-up", stored, "--content", FOLLOWED)
        say("take-back", stored, "--why", "the cause was another")
        return stored


def by_inspector(folder):
    """The inspector's command line, which connects anew for each call."""
    def take(url, name, token):
        def tool(tool, **arguments):
            pairs = [f"{member}={value}" for member, value in arguments.items()]
            words = ["--method", "tools/call", "--tool-name", tool, "--tool-arg", *pairs]
            answer = json.loads(run("npx", "--no-install", "@modelcontextprotocol/inspector", "--cli", url + "/mcp", *words, cwd=folder))
            if answer.get("isError"):
                raise SystemExit(f"{tool}: {answer}")
            return answer["structuredContent"]

        run("npx", "--no-install", "@modelcontextprotocol/inspector", "--cli", url + "/mcp", "--method", "tools/list", "--strict", cwd=folder)
        return by_tools(tool, name, token)

    return take
