"""Answers POST /v1/embeddings with vectors of an ONNX model of the BERT family: see scripts/embed-server."""

import argparse
import http.server
import json

import numpy
import onnxruntime
import tokenizers

MODEL = "bge-small-en-v1.5-q"
MAX_TOKENS = 512  # of a text; what is longer is cut
BATCH = 16        # texts a run of the model: on a CPU more is no faster


class Model:
    """Makes vectors of length 1: the model's output at its first token, which is what this model was trained for."""

    def __init__(self, folder, threads):
        self.tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/{MODEL}-tokenizer.json")
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(f"{folder}/{MODEL}.onnx", options)

    def vectors(self, texts):
        """Returns a vector for each text. Texts of about one length run together: each is padded to the longest."""
        order, found = sorted(range(len(texts)), key=lambda at: len(texts[at])), {}
        for start in range(0, len(order), BATCH):
            part = order[start:start + BATCH]
            found.update(zip(part, self.run([texts[at] for at in part])))
        return [found[at] for at in range(len(texts))]

    def run(self, texts):
        encoded = self.tokenizer.encode_batch(texts)
        ids, mask = (numpy.array([getattr(one, name) for one in encoded], numpy.int64) for name in ("ids", "attention_mask"))
        output = self.session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)})[0][:, 0]
        return output / numpy.linalg.norm(output, axis=1, keepdims=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        data = [
            {"object": "embedding", "index": i, "embedding": [round(float(x), 6) for x in vector]}
            for i, vector in enumerate(self.server.model.vectors(texts))
        ]
        body = json.dumps({"object": "list", "model": MODEL, "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass  # texts of others are no matter for a log, and neither is each request


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--port", type=int, default=8090)
    parser.add_argument("--threads", type=int, default=1, help="of one run of the model; requests run beside each other")
    given = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", given.port), Handler)
    server.model = Model(given.folder, given.threads)
    print(f"http://127.0.0.1:{server.server_port}/v1/embeddings", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
