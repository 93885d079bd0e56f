"""Load on agentlore and on Elasticsearch, by vegeta, and a proxy that takes down what agentlore sends to Elasticsearch."""

import base64
import contextlib
import csv
import http.client
import http.server
import itertools
import json
import os
import subprocess
import threading

from service import ELASTICSEARCH, WORK

VEGETA = "github.com/tsenart/vegeta/v12@v12.13.0"


def install():
    """Builds vegeta into the work folder."""
    subprocess.run(["go", "install", VEGETA], check=True, env={**os.environ, "GOBIN": os.path.abspath(WORK)})


def target(method, url, body=b"", **headers):
    """Returns a request as vegeta reads it. Like the service's client, it asks for no packed answer."""
    headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"} | headers
    header = {name: [value] for name, value in headers.items()}
    return {"method": method, "url": url, "header": header, "body": base64.b64encode(body).decode()}


class Side:
    """What the requests of one side of a comparison took."""

    def __init__(self):
        self.latencies, self.seconds = [], 0.0  # milliseconds of each operation, seconds of all

    def attack(self, operations, seconds=None, at_once=1):
        """Sends operations, each a list of requests whose latencies are added up: spread over some seconds, whether or not
        earlier ones are answered; else so many at once, each as soon as one is answered."""
        requests = list(itertools.chain(*operations))
        pace = [f"-rate={len(requests)}/{seconds}s"] if seconds else ["-rate=0", f"-workers={at_once}", f"-max-workers={at_once}"]
        lines = "".join(json.dumps(one) + "\n" for one in requests).encode()
        attacking = [f"{WORK}/vegeta", "attack", "-format=json", "-lazy", "-timeout=60s", "-max-body=300", *pace]
        results = subprocess.run(attacking, input=lines, stdout=subprocess.PIPE, check=True).stdout
        encoding = [f"{WORK}/vegeta", "encode", "--to=csv"]
        encoded = subprocess.run(encoding, input=results, stdout=subprocess.PIPE, check=True).stdout
        # Columns: when it was sent and what it took in nanoseconds (0, 2), status 1, error 5, body 6, number 8, URL 10.
        rows = [row for row in csv.reader(encoded.decode().splitlines()) if row[5] != "no targets to attack"]
        for row in rows:
            body = base64.b64decode(row[6])
            if row[1][0] != "2" or b'"errors":true' in body:
                raise SystemExit(f"{row[10]} answered {row[1]} {row[5]} {body}")
        took = iter(int(row[2]) / 1e6 for row in sorted(rows, key=lambda row: int(row[8])))
        self.latencies += [sum(itertools.islice(took, len(operation))) for operation in operations]
        self.seconds += (max(int(row[0]) + int(row[2]) for row in rows) - min(int(row[0]) for row in rows)) / 1e9

    def quantile(self, share):
        return sorted(self.latencies)[int(share * (len(self.latencies) - 1))]

    def __str__(self):
        return f"{self.quantile(0.5):.1f} / {self.quantile(0.99):.1f} ms"


@contextlib.contextmanager
def recorder(interest):
    """Runs a proxy before Elasticsearch; yields its address and the list that gets method, path and body of the requests whose
    path matches."""
    taken = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if interest.match(self.path):
                taken.append((self.command, self.path, body))
            backend = http.client.HTTPConnection(ELASTICSEARCH.split("://")[1])
            backend.request(self.command, self.path, body, dict(self.headers))
            answer = backend.getresponse()
            text = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", answer.getheader("Content-Length") or len(text))
            self.end_headers()
            self.wfile.write(text)
            backend.close()

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = forward

        def log_message(self, *_):
            """Says nothing of each request."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        proxy.handle_error = lambda *_: None  # a service that ends resets its connections
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{proxy.server_port}", taken
        proxy.shutdown()
