#!/usr/bin/env bash
# The one-shot service `kibana-objects` of docker-compose.yml: puts data views, saved searches and dashboards into Kibana, over
# those of an earlier version. What analysts made themselves stays.
set -euo pipefail

SECRETS=${SECRETS:-/secrets}
URL=${KIBANA_URL:-http://kibana:5601}
PREFIX=${AGENTLORE_INDEX_PREFIX:-agentlore}
OBJECTS=${OBJECTS:-/kibana/agentlore.ndjson}
RULES=${RULES:-/kibana/rules.ndjson}
PAGES=${AGENTLORE_URL:-http://127.0.0.1:8080}

if ! [[ $PREFIX =~ ^[a-z0-9_]+$ ]]; then
  echo "kibana-objects: AGENTLORE_INDEX_PREFIX may hold lowercase letters, digits and _ only" >&2
  exit 1
fi

# Where people reach the service: ids in Kibana lead to its pages.
if ! [[ $PAGES =~ ^https?://[A-Za-z0-9.:/_-]+$ ]]; then
  echo "kibana-objects: AGENTLORE_URL must be the address of the service's pages" >&2
  exit 1
fi

# with_prefix prints the objects for indices of this prefix, which stands in the titles of the data views alone, and for this service.
with_prefix() {
  local line title
  while IFS= read -r line; do
    if [[ $line == *'"type":"index-pattern"'* && $line =~ '"title":"'([a-z,-]+)'"' ]]; then
      title=${BASH_REMATCH[1]}
      line=${line/"\"title\":\"$title\""/"\"title\":\"${title//agentlore-/$PREFIX-}\""}
    fi
    printf '%s\n' "${line//http:\/\/127.0.0.1:8080/${PAGES%/}}"
  done <"$OBJECTS"
}

if [[ ${1:-} == print ]]; then
  with_prefix
  exit
fi

file=$(mktemp --suffix .ndjson)
answer=$(mktemp)
with_prefix >"$file"
# The password goes in by standard input, where the process list does not show it.
status=$(printf 'user = "elastic:%s"\n' "$(cat "$SECRETS/elastic_password")" |
  curl -sS -K - -H 'kbn-xsrf: true' -F "file=@$file" -o "$answer" -w '%{http_code}' \
    --retry 10 --retry-all-errors --max-time 120 "$URL/api/saved_objects/_import?overwrite=true") || status=000
if [[ $status != 200 ]] || ! grep -q '"success":true' "$answer"; then
  echo "kibana-objects: the import answered $status: $(head -c 2000 "$answer")" >&2
  exit 1
fi
echo "kibana-objects: $(wc -l <"$file") objects are in place"

# Alert rules belong to the analysts from the first start on: one that is there (409) stays as they have it. They run with the rights of
# who makes them, so analyst does. A line is the request's body with the id before it.
made=0
while IFS= read -r rule; do
  id=${rule:7:36}
  status=$(printf 'user = "analyst:%s"\n' "$(cat "$SECRETS/analyst_password")" |
    curl -sS -K - -H 'kbn-xsrf: true' -H 'Content-Type: application/json' --data-binary "{${rule:45}" -o "$answer" -w '%{http_code}' \
      --max-time 60 "$URL/api/alerting/rule/$id") || status=000
  case $status in
  200) made=$((made + 1)) ;;
  409) ;;
  *)
    echo "kibana-objects: the rule $id answered $status: $(head -c 1000 "$answer")" >&2
    exit 1
    ;;
  esac
done <"$RULES"
echo "kibana-objects: $made alert rules are new"
