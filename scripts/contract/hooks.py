"""What a JSON Schema can't say of a request, told to schemathesis.

Without it, "valid data must be accepted" would fail on data that no schema can tell from valid. It touches only requests
that are meant to be valid, just before they are sent; those that are meant to be refused go as they were made.
"""

import os
import re
import uuid

import schemathesis

SUBMISSION = os.environ["CONTRACT_SUBMISSION"]  # the id of another agent's submission
ROTATING = os.environ.get("CONTRACT_ROTATING", "")  # a token that may be replaced
KEY = re.compile(r'("[ !#-~]{1,128}"|[!#-~]([ !#-~]{0,126}[!#-~])?)')  # as the OpenAPI document has it


def _name(text: str) -> str:
    """Names are of one script and hold a letter or digit."""
    kept = "".join(c for c in text if c.isprintable() and c.isascii())
    return kept if any(c.isalnum() for c in kept) else uuid.uuid4().hex


def _stored(value):
    """Stored text holds no NUL. 3.0 is an integer to a schema, and none to Go."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_stored(v) for v in value]
    if isinstance(value, dict):
        return {k: _stored(v) for k, v in value.items()}
    return value


def _body(body: dict, path: str) -> dict:
    body = _stored(body)
    for name in ("name", "owner"):
        if isinstance(body.get(name), str):
            body[name] = _name(body[name])
    for name in ("summary", "content"):  # what is required is not blank
        if isinstance(body.get(name), str) and not body[name].strip():
            body[name] = "blank no more"
    body.pop("invite", None)  # an invite is an operator's
    named = path in ("/intake/flag", "/intake/outcome") or body.get("kind") in ("correction", "merge")
    if named or "id" in body or "target" in body:  # an item exists, and is named once
        body.pop("target", None)
        body["id"] = SUBMISSION
    return body


def _query(query: dict, path: str) -> dict:
    query = dict(query)
    query.pop("cursor", None)  # a cursor is one of ours, bound to its query
    deepest = 900 if path == "/search/all" else 9900  # offset + limit has a bound
    try:
        query["offset"] = min(int(query["offset"]), deepest)
    except (KeyError, TypeError, ValueError):
        pass
    return query


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.operation.path
    if path == "/intake/token/rotate" and ROTATING and kwargs.get("headers"):
        for name in list(kwargs["headers"]):
            if name.lower() == "authorization":  # the others' token must live on
                kwargs["headers"][name] = f"Bearer {ROTATING}"
    key = (case.headers or {}).get("Idempotency-Key")
    if key is not None and KEY.fullmatch(str(key).strip()):  # HTTP strips what stands around a value
        case.headers["Idempotency-Key"] = str(uuid.uuid4())  # and a key belongs to one body
        if case.meta is not None and not case.meta.generation.mode.is_positive and key != key.strip():
            case.headers["Idempotency-Key"] = '"'
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if isinstance(case.query, dict):
        case.query = _query(case.query, path)
    if path == "/mcp":  # its messages are the protocol's business
        case.body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    elif isinstance(case.body, dict):
        case.body = _body(case.body, path)
