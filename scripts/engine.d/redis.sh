# shellcheck shell=bash
# One Redis of its own a name: redis-server on PATH, installed when root, or Docker. Sourced, never run.

REDIS_IMAGE=redis:7.4

redis_pid_file() { echo "$DIR/redis.pid"; }

redis_url() { echo "redis://127.0.0.1:$(redis_port)/0"; }

# redis_answers HOST PORT: PING without redis-cli.
redis_answers() {
  local reply=""
  exec 3<>"/dev/tcp/$1/$2" || return 1
  printf 'PING\r\n' >&3
  read -r -t 2 reply <&3 || true
  exec 3>&- 3<&-
  [[ $reply == +PONG* || $reply == -NOAUTH* || $reply == -LOADING* ]]
} 2>/dev/null

# fetch_redis: install redis-server, or pull its image, where neither is there. It runs beside the start of Elasticsearch.
fetch_redis() {
  if have redis-server; then return; fi
  if is_root && have apt-get; then
    say "redis-server is missing; installing it with apt-get"
    # Its package would start a server of its own on port 6379; ours is the only one wanted.
    local policy=/usr/sbin/policy-rc.d ours="" began=$SECONDS
    if [[ ! -e $policy ]]; then
      ours=yes
      printf '#!/bin/sh\nexit 101\n' >"$policy"
      chmod +x "$policy"
    fi
    if apt_install redis-server; then
      say "redis-server is installed after $((SECONDS - began)) s"
    else
      say "apt-get could not install redis-server (its words are above)"
    fi
    if [[ -n $ours ]]; then rm -f "$policy"; fi
  fi
  if ! have redis-server && docker_works; then docker pull -q "$REDIS_IMAGE" >/dev/null || true; fi
}

start_redis() {
  if redis_running; then return; fi
  if have redis-server; then
    start_redis_server
  elif docker_works; then
    start_redis_container
  else
    die "no Redis: redis-server is not on PATH." \
      "Give REDIS_URL, or install it (Debian: apt-get install redis-server), or start Docker."
  fi
  local waited=0
  until redis_answers 127.0.0.1 "$(redis_port)"; do
    sleep 0.1
    waited=$((waited + 1))
    if ((waited > 100)); then
      tail -n 5 "$DIR/redis/redis.log" >&2 2>/dev/null || true
      die "Redis did not answer within 10 s on port $(redis_port)." "Its log: $DIR/redis/redis.log"
    fi
  done
}

start_redis_server() {
  local folder=$DIR/redis pid
  own "$folder"
  cp "$REPO/scripts/redis.conf" "$folder/redis.conf"
  rm -f "$folder/pid"
  "${DROP[@]}" redis-server "$folder/redis.conf" --bind 127.0.0.1 --port "$(redis_port)" --dir "$folder" \
    --daemonize yes --pidfile "$folder/pid" --logfile "$folder/redis.log" </dev/null >/dev/null 2>"$folder/redis.err" 9>&- ||
    die "redis-server did not start: $(tail -n 3 "$folder/redis.err")"
  local waited=0
  until [[ -s $folder/pid ]]; do
    sleep 0.05
    waited=$((waited + 1))
    if ((waited > 200)); then die "redis-server did not start." "Its log: $folder/redis.log"; fi
  done
  pid=$(<"$folder/pid")
  record "$(redis_pid_file)" "$pid"
  state_set redis server
  say "Redis $(redis-server --version | sed -n 's/.* v=\([0-9.]*\).*/\1/p') on $(redis_url)"
}

redis_running() {
  case $(state_get redis) in
  container) docker_running "$(container redis)" ;;
  *) alive "$(redis_pid_file)" ;;
  esac
}

stop_redis() {
  if [[ $(state_get redis) == container ]]; then
    docker rm -f "$(container redis)" >/dev/null 2>&1 || true
  else
    end "$(redis_pid_file)" 10
  fi
}
