"""A cold agent by each road, the whole way from nothing to a report that it withdraws: HTTP, MCP by hand and by the official SDKs and the
inspector, the command line, and clients that are generated from the OpenAPI document, checked by mypy and tsc. Prints calls and bytes.
Needs an engine in the environment, and pip and npm."""

import concurrent.futures
import http.server
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import venv

sys.path.insert(0, "scripts/measure")
from service import Store, build, call  # noqa: E402
from ways import AMENDED, ERROR, FOLLOWED, Machine, by_http, by_inspector, by_mcp_http, run  # noqa: E402

HERE = pathlib.Path("scripts/roads")
INSPECTOR = "MCP, inspector"
PYTHON = ["openapi-python-client==0.29.1", "mypy==2.4.1", "mcp==2.3.0"]
NODE = [
    "openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@20",
    "@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/inspector@2.12.0",
]


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

    do_GET = do_PATCH = do_DELETE = do_POST

    def log_message(self, *_):
        pass


def fetch(*command, **options):
    """Fetches what generates, checks and speaks; where its registry is out of reach, the service is tested none the less."""
    try:
        run(*command, **options)
        return True
    except SystemExit as why:
        print(f"generated clients and SDKs are NOT tested: {why}", file=sys.stderr)
        return False


def fetch_python(work):
    venv.create(work / "python", with_pip=True)
    return fetch(work / "python/bin/pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON)


def fetch_node(work):
    (work / "package.json").write_text('{"type": "module"}')
    return fetch("npm", "install", "--silent", "--no-audit", "--no-fund", *NODE, cwd=work)


def python_clients(work, url):
    """Generates the client and checks it and its users. mypy passes over the generator's own file, client.py, whose __exit__ it faults."""
    programs = work / "python/bin"
    generate = [programs / "openapi-python-client", "generate", "--url", url + "/openapi.json", "--meta", "none"]
    print(run(*generate, "--output-path", work / "agentlore_client").splitlines()[0])
    for file in ("client.py", "sdk.py"):
        shutil.copy(HERE / file, work)
    (work / "mypy.ini").write_text("[mypy]\nstrict = True\n[mypy-agentlore_client.client]\nignore_errors = True\n")
    print("mypy --strict:", run(programs / "mypy", "client.py", "sdk.py", "agentlore_client", cwd=work).splitlines()[-1])
    speak = lambda file, path: lambda url, name, token: run(  # noqa: E731
        programs / "python", file, url + path, name, token, ERROR, AMENDED, FOLLOWED, cwd=work)
    return {"Python client": speak("client.py", ""), "MCP, Python SDK": speak("sdk.py", "/mcp")}


def typescript_clients(work, url):
    """Generates the types and compiles their users."""
    for file in ("client.ts", "sdk.ts"):
        shutil.copy(HERE / file, work)
    run("npx", "openapi-typescript", url + "/openapi.json", "--output", "schema.d.ts", cwd=work)
    options = ["--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"]
    run("npx", "tsc", *options, "client.ts", "sdk.ts", cwd=work)
    print("tsc --strict: no faults")
    speak = lambda file, path: lambda url, name, token: run(  # noqa: E731
        "node", file, url + path, name, token, ERROR, AMENDED, FOLLOWED, cwd=work)
    roads = {"TypeScript client": speak("client.js", ""), "MCP, TypeScript SDK": speak("sdk.js", "/mcp")}
    try:
        run("npx", "--no-install", "@modelcontextprotocol/inspector", "--cli", "--version", cwd=work)
        roads[INSPECTOR] = by_inspector(work)
    except SystemExit as why:  # it asks for a newer node than the SDK
        print(f"the inspector of MCP is NOT tested: {why}", file=sys.stderr)
    return roads


def check(url, stored):
    """Ends where a report isn't amended, followed up and withdrawn."""
    item = call("GET", f"{url}/submissions/{stored}")
    assert item["resolution"] == AMENDED and item["status"] == "withdrawn" and len(item["follow_ups"]) == 1, item


def main(work):
    with concurrent.futures.ThreadPoolExecutor() as pool:  # fetching waits for the network, building for the processor
        fetched = [pool.submit(fetch_python, work), pool.submit(fetch_node, work)]
        store = Store(build(), "roads")
        store.wipe()
        store.start("import", "--reference").communicate()
        machine = Machine(work)
        roads = {"HTTP": by_http, "MCP, HTTP": by_mcp_http, "MCP, stdio": machine.by_mcp_stdio, "command line": machine.by_command}
        with store.serve() as (Proxy.service, _):
            if all(done.result() for done in fetched):
                for made in [pool.submit(make, work, Proxy.service) for make in (python_clients, typescript_clients)]:
                    roads.update(made.result())
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            measure(roads, f"http://127.0.0.1:{server.server_port}")


def measure(roads, url):
    """Takes each road with and without a token at its start, and prints what it took."""
    print(f"{'road':19} token at start  calls  sent  received  seconds")
    for number, (road, take) in enumerate(roads.items()):
        for begins_with in ("no", "yes"):
            if road == INSPECTOR and begins_with == "yes":
                continue  # each of its calls is a connection and starts node
            name, token = f"cold{number}{begins_with}-{os.getpid()}", ""
            if begins_with == "yes":
                token = call("POST", Proxy.service + "/intake/register", {"name": name, "type": "agent", "owner": name})["api_token"]
            Proxy.calls = Proxy.sent = Proxy.received = 0
            began = time.monotonic()
            stored = take(url, name, token)
            print(f"{road:19} {begins_with:14} {Proxy.calls:6} {Proxy.sent:5} {Proxy.received:9} {time.monotonic() - began:8.1f}", flush=True)
            check(Proxy.service, stored)


with tempfile.TemporaryDirectory() as folder:
    main(pathlib.Path(folder))
