"""A cold agent on the Python client that openapi-python-client generates: it prints the id of the report that it stored."""

import sys
from uuid import UUID

from agentlore_client import AuthenticatedClient, Client
from agentlore_client.api.ask import ask
from agentlore_client.api.intake import outcome, register, submit
from agentlore_client.models import (
    AskRequest, AskResponse, Category, OutcomeRequest, OutcomeResponse, RegisterRequest, RegisterResponse, Result, SourceType,
    SubmitRequest, SubmitResponse, Verdict,
)
from agentlore_client.types import Unset

url, name, error = sys.argv[1:]
anybody = Client(base_url=url)
registered = register.sync(client=anybody, body=RegisterRequest(name=name, type_=SourceType.AGENT, owner=name))
assert isinstance(registered, RegisterResponse), registered
answer = ask.sync(client=anybody, body=AskRequest(text=error))
assert isinstance(answer, AskResponse) and answer.verdict == Verdict.KNOWN and not isinstance(answer.problem, Unset), answer
me = AuthenticatedClient(base_url=url, token=registered.api_token)
kept = outcome.sync(client=me, body=OutcomeRequest(id=UUID(answer.problem.id), outcome=Result.WORKED))
assert isinstance(kept, OutcomeResponse), kept
report = SubmitRequest(summary=f"{name} saw a relay stop", category=Category.FAILURE, resolution="Start it again.")
stored = submit.sync(client=me, body=report, idempotency_key=name)
assert isinstance(stored, SubmitResponse), stored
print(stored.id)
