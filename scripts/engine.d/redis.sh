# shellcheck shell=bash
# One Redis of its own a name: redis-server on PATH, installed when root. Sourced, never run.

redis_url() { echo "redis://127.0.0.1:$(redis_port)/0"; }

# redis_answers: PING without redis-cli.
redis_answers() {
  local reply=""
  exec 3<>"/dev/tcp/127.0.0.1/$(redis_port)" || return 1
  printf 'PING\r\n' >&3
  read -r -t 2 reply <&3 || true
  exec 3>&-
  [[ $reply == +PONG* || $reply == -NOAUTH* || $reply == -LOADING* ]]
} 2>/dev/null

# fetch_redis: install redis-server where it is missing. It runs beside the start of Elasticsearch.
fetch_redis() {
  local policy=/usr/sbin/policy-rc.d ours="" began=$SECONDS
  if have redis-server || ! is_root || ! have apt-get; then return; fi
  # Its package would start a server of its own on port 6379; ours is the only one wanted.
  if [[ ! -e $policy ]]; then
    ours=yes
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  if apt_install redis-server; then say "redis-server is installed after $((SECONDS - began)) s"; fi
  if [[ -n $ours ]]; then rm -f "$policy"; fi
}

start_redis() {
  local folder=$DIR/redis
  have redis-server || die "no Redis: redis-server is not on PATH." "Install it (Debian: apt-get install redis-server)."
  own "$folder"
  rm -f "$folder/pid"
  if ! "${DROP[@]}" redis-server - --bind 127.0.0.1 --port "$(redis_port)" --dir "$folder" --daemonize yes --pidfile "$folder/pid" \
    --logfile "$folder/redis.log" <"$REPO/scripts/redis.conf" >/dev/null 2>"$folder/redis.err" 9>&- || ! await 10 test -s "$folder/pid"; then
    die "redis-server did not start: $(tail -n 3 "$folder/redis.err")" "Its log: $folder/redis.log"
  fi
  record "$DIR/redis.pid" "$(<"$folder/pid")"
  await 20 redis_answers || die "Redis does not answer on port $(redis_port)." "Its log: $folder/redis.log"
  say "Redis $(redis-server --version | sed -n 's/.* v=\([0-9.]*\).*/\1/p') on $(redis_url)"
}

redis_running() { alive "$DIR/redis.pid"; }
