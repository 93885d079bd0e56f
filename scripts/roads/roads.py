"""A cold agent by each road, from nothing to an answer and a stored report: HTTP, MCP, the command line, and clients that are generated
from the OpenAPI document, checked by mypy and tsc. Prints calls and bytes. Needs an engine in the environment, and pip and npm."""

import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import venv

sys.path.insert(0, "scripts/measure")
from service import Store, build, call  # noqa: E402

ERROR = "FailedOp(0, \"AA25 invalid account nonce\")"
HERE = pathlib.Path("scripts/roads")
PYTHON = ["openapi-python-client==0.29.1", "mypy==2.4.1"]
NODE = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@20"]


class Proxy(http.server.BaseHTTPRequestHandler):
    """Hands requests on and counts them, and the bytes of bodies."""

    protocol_version, service = "HTTP/1.1", ""
    calls = sent = received = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name not in ("Host", "Connection")}
        try:
            answer = urllib.request.urlopen(urllib.request.Request(self.service + self.path, body or None, headers, method=self.command))
        except urllib.error.HTTPError as refused:
            answer = refused
        text = answer.read()
        Proxy.calls, Proxy.sent, Proxy.received = Proxy.calls + 1, Proxy.sent + len(body), Proxy.received + len(text)
        self.send_response(answer.status)
        for name in ("Content-Type", "Content-Encoding", "ETag"):
            if value := answer.headers.get(name):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def run(*command, **options):
    """Runs a program and returns what it printed; ends with its words where it fails."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-3000:]}")
    return done.stdout.strip()


def fetch(*command, **options):
    """Fetches what generates and checks; where its registry is out of reach, the service is tested none the less."""
    try:
        run(*command, **options)
    except SystemExit as why:
        print(f"generated clients are NOT tested: {why}", file=sys.stderr)
        sys.exit(0)


def report(name):
    return {"summary": f"{name} saw a relay stop", "category": "failure", "resolution": "Start it again."}


def by_http(url, name):
    urllib.request.urlopen(url + "/llms.txt").read()
    token = call("POST", url + "/intake/register", {"name": name, "type": "agent", "owner": name})["api_token"]
    answer = call("POST", url + "/ask", {"text": ERROR})
    call("POST", url + "/intake/outcome", {"id": answer["problem"]["id"], "outcome": "worked"}, Authorization="Bearer " + token)
    return call("POST", url + "/intake/submit", report(name), Authorization="Bearer " + token)["id"]


def by_mcp(name, send, register):
    """send hands a message to the server and returns its answer; register gets a token that send uses from then on."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
    send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
    send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})

    def tool(tool, **arguments):
        answer = send({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        return json.loads(answer["result"]["content"][0]["text"])

    register(tool)
    tool("report_outcome", id=tool("ask", text=ERROR)["problem"]["id"], outcome="worked")
    return tool("submit", **report(name))["id"]


def by_mcp_http(url, name):
    headers = {"Accept": "application/json, text/event-stream"}
    send = lambda message: call("POST", url + "/mcp", message, **headers)  # noqa: E731

    def register(tool):
        headers["Authorization"] = "Bearer " + tool("register", name=name, type="agent", owner=name)["api_token"]

    return by_mcp(name, send, register)


def by_mcp_stdio(url, name, client, environment):
    with subprocess.Popen([client, "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bridge:
        def send(message):
            print(json.dumps(message), file=bridge.stdin, flush=True)
            return json.loads(bridge.stdout.readline()) if "id" in message else None

        stored = by_mcp(name, send, lambda tool: run(client, "register", name, "--owner", name, env=environment))
        bridge.stdin.close()
        return stored


def by_command(url, name, client, environment):
    run(client, "register", name, "--owner", name, env=environment)
    answer = json.loads(run(client, "ask", ERROR, "--json", env=environment))
    run(client, "outcome", answer["problem"]["id"], "worked", env=environment)
    flags = [f"--{field}={value}" for field, value in report(name).items()]
    return json.loads(run(client, "submit", *flags, "--json", env=environment))["id"]


def python_client(work, url):
    """Generates the client and checks it and its user. mypy passes over the generator's own file, client.py, whose __exit__ it faults."""
    venv.create(work / "python", with_pip=True)
    programs = work / "python/bin"
    fetch(programs / "pip", "install", "--quiet", *PYTHON)
    generate = [programs / "openapi-python-client", "generate", "--url", url + "/openapi.json", "--meta", "none"]
    print(run(*generate, "--output-path", work / "agentlore_client").splitlines()[0])
    shutil.copy(HERE / "client.py", work)
    (work / "mypy.ini").write_text("[mypy]\nstrict = True\n[mypy-agentlore_client.client]\nignore_errors = True\n")
    print("mypy --strict:", run(programs / "mypy", "client.py", "agentlore_client", cwd=work).splitlines()[-1])
    return lambda url, name: run(programs / "python", "client.py", url, name, ERROR, cwd=work)


def typescript_client(work, url):
    """Generates the types and compiles their user."""
    shutil.copy(HERE / "client.ts", work)
    (work / "package.json").write_text('{"type": "module"}')
    fetch("npm", "install", "--silent", "--no-audit", "--no-fund", *NODE, cwd=work)
    run("npx", "openapi-typescript", url + "/openapi.json", "--output", "schema.d.ts", cwd=work)
    run("npx", "tsc", "--strict", "--module", "nodenext", "--target", "es2022", "client.ts", cwd=work)
    print("tsc --strict: no faults")
    return lambda url, name: run("node", "client.js", url, name, ERROR, cwd=work)


def main(work):
    store = Store(build(), "roads")
    store.wipe()
    store.start("import", "--reference").communicate()
    client = work / "agentlore"
    run("go", "build", "-o", client, "./cmd/agentlore-client", env={**os.environ, "CGO_ENABLED": "0"})
    with store.serve() as (Proxy.service, _):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"

        def own(road):  # with a token of its own
            return lambda url, name: road(url, name, client, {**os.environ, "AGENTLORE_URL": url, "AGENTLORE_TOKEN_FILE": str(work / name)})

        roads = {"HTTP": by_http, "MCP, HTTP": by_mcp_http, "MCP, stdio": own(by_mcp_stdio), "command line": own(by_command),
                 "Python client": python_client(work, Proxy.service), "TypeScript client": typescript_client(work, Proxy.service)}
        print(f"{'road':18} calls  sent  received  seconds")
        for number, (road, take) in enumerate(roads.items()):
            Proxy.calls = Proxy.sent = Proxy.received = 0
            began = time.monotonic()
            stored = take(url, f"cold{number}-{os.getpid()}")
            print(f"{road:18} {Proxy.calls:5} {Proxy.sent:5} {Proxy.received:9} {time.monotonic() - began:8.1f}")
            assert call("GET", f"{Proxy.service}/submissions/{stored}")["id"] == stored


with tempfile.TemporaryDirectory() as folder:
    main(pathlib.Path(folder))
