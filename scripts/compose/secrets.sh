#!/usr/bin/env bash
# The one-shot service `secrets` of docker-compose.yml: passwords, Kibana's key and the certificate of Elasticsearch's nodes.
#
#   make   create what is missing; a password given by .env (the environment) replaces the one that is there
#   show   print the passwords a person needs
#
# Each consumer has a folder of its own, readable by its own user alone: Kibana never sees the password of elastic.
set -euo pipefail

SECRETS=${SECRETS:-/secrets}
ELASTICSEARCH_UID=${ELASTICSEARCH_UID:-1000} # Kibana's image uses the same number
SERVICE_UID=${SERVICE_UID:-65532}            # the Dockerfile's user
SNAPSHOTS=${SNAPSHOTS:-/snapshots}           # where the nodes write backups
CERTUTIL=${CERTUTIL:-/usr/share/elasticsearch/bin/elasticsearch-certutil}

# keep NAME GIVEN: the secret NAME, in the folder that only setup reads: as given, else as it is, else a new one.
keep() {
  local file=$SECRETS/setup/$1
  if [[ -n $2 ]]; then
    # It is written into JSON and curl's configuration as it is.
    if ! [[ $2 =~ ^[A-Za-z0-9._~+=/-]{8,128}$ ]]; then
      echo "secrets: the $1 given in .env must be 8 to 128 characters of letters, digits and . _ ~ + = / -" >&2
      exit 1
    fi
    # Elasticsearch takes elastic's first password only; setup gives the others theirs again at every start.
    if [[ $1 == elastic_password && -s $file && $2 != "$(cat "$file")" ]]; then
      echo "secrets: $1 is set already and stays; .env names another one" >&2
      return
    fi
    (umask 077 && printf '%s' "$2" >"$file")
  elif [[ ! -s $file ]]; then
    (umask 077 && LC_ALL=C tr -dc 'a-zA-Z0-9' < <(head -c 4096 /dev/urandom) | cut -c1-32 | tr -d '\n' >"$file")
    echo "secrets: made $1"
  fi
}

# hand NAME FOLDER UID: a copy for its consumer. Elasticsearch refuses a password file that others could read.
hand() {
  cp "$SECRETS/setup/$1" "$SECRETS/$2/$1"
  chown "$3" "$SECRETS/$2/$1"
  chmod 400 "$SECRETS/$2/$1"
}

# The nodes know each other by a certificate of this installation's own authority, kept in one file for all of them.
make_certificate() {
  local file=$SECRETS/elasticsearch/transport.p12 work
  [[ ! -s $file ]] || return 0
  work=$(mktemp -d)
  "$CERTUTIL" ca --silent --days 3650 --out "$work/ca.p12" --pass ""
  "$CERTUTIL" cert --silent --days 3650 --ca "$work/ca.p12" --ca-pass "" --out "$work/transport.p12" --pass ""
  chown "$ELASTICSEARCH_UID" "$work/transport.p12"
  chmod 400 "$work/transport.p12"
  cp -p "$work/transport.p12" "$file.new"
  mv "$file.new" "$file" # whole or not at all
  rm -rf "$work"
  echo "secrets: made the certificate of the nodes"
}

case ${1:-make} in
make)
  keep elastic_password "${ELASTIC_PASSWORD:-}"
  keep kibana_password "${KIBANA_PASSWORD:-}"
  keep kibana_key ""
  keep service_password "${AGENTLORE_PASSWORD:-}"
  keep analyst_password "${ANALYST_PASSWORD:-}"
  hand elastic_password elasticsearch "$ELASTICSEARCH_UID"
  hand kibana_password kibana "$ELASTICSEARCH_UID"
  hand kibana_key kibana "$ELASTICSEARCH_UID"
  hand service_password service "$SERVICE_UID"
  make_certificate
  if [[ -d $SNAPSHOTS ]]; then chown "$ELASTICSEARCH_UID" "$SNAPSHOTS"; fi # a new volume is root's
  ;;
show)
  for name in elastic analyst; do
    printf '%-8s %s\n' "$name" "$(cat "$SECRETS/setup/${name}_password")"
  done
  ;;
*)
  echo "secrets: make or show" >&2
  exit 2
  ;;
esac
