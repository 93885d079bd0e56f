#!/usr/bin/env bash
# The one-shot service `setup` of docker-compose.yml: users and roles in Elasticsearch. Safe to run again at every start.
#
#   agentlore        the service: its own indices, reading the cluster's state, and snapshots for agentlore backup and restore
#   analyst          people in Kibana: reads the eight collections, the events and the log of searches, and none of the other internal
#                    indices (accounts, outcomes, records, state, decisions); saves charts, searches and alert rules of its own in the
#                    default space, and downloads CSV (by the built-in role reporting_user)
#   kibana_system    Kibana's own user, which Elasticsearch brings along without a password
set -euo pipefail

SECRETS=${SECRETS:-/secrets}
URL=${ELASTICSEARCH_URL:-http://elasticsearch:9200}
PREFIX=${AGENTLORE_INDEX_PREFIX:-agentlore}

if ! [[ $PREFIX =~ ^[a-z0-9_]+$ ]]; then
  echo "setup: AGENTLORE_INDEX_PREFIX may hold lowercase letters, digits and _ only" >&2
  exit 1
fi

# send METHOD PATH <BODY: passwords go in by files, which the process list does not show.
send() {
  local body answer status
  body=$(mktemp)
  answer=$(mktemp)
  cat >"$body"
  status=$(printf 'user = "elastic:%s"\n' "$(cat "$SECRETS/elastic_password")" |
    curl -sS -K - -X "$1" -H 'Content-Type: application/json' --data-binary "@$body" -o "$answer" -w '%{http_code}' \
      --retry 5 --retry-connrefused --max-time 60 "$URL$2") || status=000
  if [[ $status != 200 ]]; then
    echo "setup: $1 $2 answered $status: $(head -c 1000 "$answer")" >&2
    exit 1
  fi
  rm -f "$body" "$answer"
  echo "setup: $2"
}

password() { cat "$SECRETS/$1_password"; }

# readable prints the analysts' patterns. An alias and the indices behind it are named apart: agentlore-sources* alone would
# also open whatever is one day called agentlore-sources-private.
readable() {
  local name list=""
  for name in sources submissions knowledge-units patterns families assets suggestions safety-flags questions events searchlog; do
    list+=", \"$PREFIX-$name\", \"/$PREFIX-$name-[0-9]+/\""
  done
  echo "[${list#, }]"
}

send POST /_security/user/kibana_system/_password <<JSON
{"password": "$(password kibana)"}
JSON

send PUT /_security/role/agentlore_service <<JSON
{
  "cluster": ["monitor", "cluster:admin/repository/*", "cluster:admin/snapshot/*"],
  "indices": [{"names": ["$PREFIX-*"], "privileges": ["manage", "read", "write"]}]
}
JSON

send PUT /_security/role/agentlore_analyst <<JSON
{
  "indices": [{"names": $(readable), "privileges": ["read", "view_index_metadata"]}],
  "applications": [
    {"application": "kibana-.kibana", "privileges": ["read"], "resources": ["*"]},
    {"application": "kibana-.kibana", "privileges": ["feature_discover_v2.all", "feature_dashboard_v2.all", "feature_visualize_v2.all",
      "feature_stackAlerts.all"],
     "resources": ["space:default"]}
  ]
}
JSON

send PUT /_security/user/agentlore <<JSON
{"password": "$(password service)", "roles": ["agentlore_service"], "full_name": "agentlore, the service"}
JSON

send PUT /_security/user/analyst <<JSON
{"password": "$(password analyst)", "roles": ["agentlore_analyst", "reporting_user"], "full_name": "analyst"}
JSON
