"""A cold agent on the Python client that openapi-python-client generates: it prints the id of its report."""

import sys
from uuid import UUID

from agentlore_client import AuthenticatedClient, Client
from agentlore_client.api.ask import ask
from agentlore_client.api.intake import follow_up, outcome, register, submit, withdraw
from agentlore_client.api.submissions import amend
from agentlore_client.models import (
    AmendRequest, AskRequest, AskResponse, Category, FollowUpRequest, OutcomeRequest, OutcomeResponse, RegisterRequest, RegisterResponse,
    Result, SourceType, SubmitRequest, SubmitResponse, Verdict, WithdrawRequest,
)
from agentlore_client.types import Unset

url, name, token, error, amended, followed = sys.argv[1:]
anybody = Client(base_url=url)
if not token:
    registered = register.sync(client=anybody, body=RegisterRequest(name=name, type_=SourceType.AGENT, owner=name))
    assert isinstance(registered, RegisterResponse), registered
    token = registered.api_token
answer = ask.sync(client=anybody, body=AskRequest(text=error))
assert isinstance(answer, AskResponse) and answer.verdict == Verdict.KNOWN and not isinstance(answer.problem, Unset), answer
me = AuthenticatedClient(base_url=url, token=token)
trial = OutcomeRequest(id=UUID(answer.problem.id), revision=answer.problem.revision, outcome=Result.WORKED)
kept = outcome.sync(client=me, body=trial)
assert isinstance(kept, OutcomeResponse), kept
report = SubmitRequest(summary=f"{name} saw a relay stop", category=Category.FAILURE, resolution="Start it again.")
stored = submit.sync(client=me, body=report, idempotency_key=name)
assert isinstance(stored, SubmitResponse), stored
changed = amend.sync(stored.id, client=me, body=AmendRequest(resolution=amended))
assert isinstance(changed, SubmitResponse), changed
more = follow_up.sync(client=me, body=FollowUpRequest(id=stored.id, content=followed))
assert isinstance(more, SubmitResponse), more
withdraw.sync(client=me, body=WithdrawRequest(id=stored.id, why="the cause was another"))
print(stored.id)
