"""agentlore as the scripts run it: its commands and its service over the indices of a prefix."""

import contextlib
import json
import os
import re
import subprocess
import urllib.parse
import urllib.request

ELASTICSEARCH = os.environ.get("ELASTICSEARCH_URL", "").split(",")[0].rstrip("/")
DATA = os.environ.get("AGENTLORE_DATA", "../shared/data")
WORK = ".agentlore/work"  # the binary, and logs
os.makedirs(WORK, exist_ok=True)
if not ELASTICSEARCH:
    raise SystemExit("ELASTICSEARCH_URL is not set: scripts/engine with -- COMMAND starts an engine for a command")


def build():
    """Builds the binary from the tree and returns its path."""
    subprocess.run(["go", "build", "-o", f"{WORK}/agentlore", "./cmd/agentlore"], check=True)
    return f"{WORK}/agentlore"


def call(method, url, body=None, **headers):
    """Sends JSON and returns the answer's; raises urllib.error.HTTPError for any status but 2xx."""
    text = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, text, {"Content-Type": "application/json", **headers}, method=method)
    with urllib.request.urlopen(request, timeout=1800) as answer:  # a merge may take minutes
        return json.loads(answer.read() or b"null")


class Store:
    """The indices of a prefix. Settings are environment variables of agentlore."""

    def __init__(self, binary, prefix, elasticsearch=ELASTICSEARCH, **settings):
        self.binary, self.prefix = binary, prefix
        self.environment = {
            **os.environ, "ELASTICSEARCH_URL": elasticsearch, "AGENTLORE_INDEX_PREFIX": prefix, "AGENTLORE_LISTEN": "127.0.0.1:0",
            # Reads are counted, and none is refused. Curation would work beside what is measured.
            "AGENTLORE_RATE_READ": "1000000-M", "AGENTLORE_RATE_WRITE": "off", "AGENTLORE_RATE_REGISTER": "off",
            "AGENTLORE_CURATE": "false", **settings,
        }

    def start(self, *arguments, **pipes):
        """Starts a command of agentlore. It logs into a file of the work folder."""
        with open(f"{WORK}/{self.prefix}.log", "a") as log:
            return subprocess.Popen([self.binary, *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=log, **pipes)

    def load(self, chunks, collection="submissions", form="lines"):
        """Imports an iterable of bytes. No line may be refused."""
        importing = self.start("import", "--collection", collection, "--format", form, "-", stdin=subprocess.PIPE)
        for chunk in chunks:
            importing.stdin.write(chunk)
        printed = importing.communicate()[0].decode()
        if importing.returncode or " 0 refused" not in printed:
            raise SystemExit(f"{self.prefix}: the import printed {printed[:500]}")

    def make(self):
        """Makes the indices that are missing, and those anew that are of another version."""
        migrating = self.start("migrate")
        migrating.communicate()
        if migrating.returncode:
            raise SystemExit(f"{self.prefix}: migrate failed; its log is in {WORK}")

    def wipe(self):
        """Makes all indices anew."""
        for index in call("GET", f"{ELASTICSEARCH}/{self.prefix}-*/_alias"):
            call("DELETE", f"{ELASTICSEARCH}/{index}")
        self.make()

    def count(self, collection="submissions"):
        """Returns how many items can be found."""
        call("POST", f"{ELASTICSEARCH}/{self.prefix}-{collection}/_refresh")
        return call("GET", f"{ELASTICSEARCH}/{self.prefix}-{collection}/_count")["count"]

    @contextlib.contextmanager
    def serve(self, argument="serve"):
        """Runs the service, and yields its address and its process."""
        serving = self.start(argument)
        try:
            for line in serving.stdout:
                if address := re.search(rb"http://\S+", line):
                    break
            else:
                raise SystemExit(f"{self.prefix}: the service did not start; its log is in {WORK}")
            yield address[0].decode(), serving
        finally:
            serving.terminate()
            serving.communicate()


def search_url(address, question):
    return f"{address}/search/all?q={urllib.parse.quote(question)}"
