# shellcheck shell=bash
# Configure, start, await and stop the nodes of one name from a distribution on disk. Sourced, never run.

node_folder() { echo "$DIR/node-$1"; }
data_folder() { echo "${DATA:-$DIR}/node-$1/data"; }
node_numbers() { seq 1 "$NODES"; }

heap() { if ((NODES > 1)); then echo "${ENGINE_HEAP:-512m}"; else echo "${ENGINE_HEAP:-1g}"; fi; }

# Options of the JVM wherever agentlore runs Elasticsearch; docker-compose.yml has them too. Its heap is touched whole at start, so
# huge pages cost no memory; where the kernel gives them on request (madvise) a search takes 7 to 10 % less time.
NODE_JVM_OPTIONS=-XX:+UseTransparentHugePages

# choose_memory: keeps data in memory, where there is room. Tests that make thousands of small indices spend a third of their time
# waiting for the disk.
choose_memory() {
  [[ -z $DATA && $(free_gigabytes) -ge 8 ]] || return 0
  DATA=$(mktemp -d "/dev/shm/agentlore-$NAME.XXXXXX")
  own "$DATA"
  state_set data "$DATA"
}

# free_gigabytes: of memory, as far as files may fill it.
free_gigabytes() {
  { awk '/^MemAvailable/ { print int($2 / 2 ^ 20) }' /proc/meminfo && df -k --output=avail /dev/shm | awk 'NR == 2 { print int($1 / 2 ^ 20) }'; } 2>/dev/null |
    sort -n | head -n 1 | grep . || echo 0
}

# write_settings N: elasticsearch.yml of node N on standard output.
write_settings() {
  local folder n seeds=() masters=()
  folder=$(node_folder "$1")
  sed -e '/^ *#/d' -e '/^ *$/d' -e 's/=/: /' "$REPO/scripts/elasticsearch.settings"
  cat <<YAML
cluster.name: agentlore-$NAME
node.name: node-$1
path.data: $(data_folder "$1")
path.logs: $folder/logs
path.repo: $DIR/snapshots
network.host: 127.0.0.1
http.port: $(http_port "$1")
transport.port: $(transport_port "$1")
xpack.security.enabled: $SECURITY
# A laptop's disk is often fuller than a server's may be; and tests make many small indices.
cluster.routing.allocation.disk.threshold_enabled: false
indices.merge.disk.watermark.high: 99%
cluster.max_shards_per_node: 3000
YAML
  # The distribution from Maven has no such modules, and refuses to start with settings that it doesn't know.
  if [[ -d $DISTRIBUTION/modules/x-pack-ml ]]; then echo "xpack.ml.enabled: false"; fi
  if [[ -d $DISTRIBUTION/modules/ingest-geoip ]]; then echo "ingest.geoip.downloader.enabled: false"; fi
  if ((NODES == 1)); then
    echo "discovery.type: single-node"
    return
  fi
  for n in $(node_numbers); do
    seeds+=("\"127.0.0.1:$(transport_port "$n")\"")
    masters+=("\"node-$n\"")
  done
  echo "discovery.seed_hosts: [$(comma_list "${seeds[@]}")]"
  # Only a cluster that has never formed is told its first masters.
  if [[ -z $(state_get formed) ]]; then echo "cluster.initial_master_nodes: [$(comma_list "${masters[@]}")]"; fi
}

# configure_node N: a fresh copy of the distribution's config with our settings; data stays as it is.
configure_node() {
  local folder config
  folder=$(node_folder "$1")
  config=$folder/config
  rm -rf "$config" "$folder/tmp"
  own "$folder" "$(data_folder "$1")" "$folder/logs" "$folder/tmp" "$DIR/snapshots"
  cp -R "$DISTRIBUTION/config" "$config"
  mkdir -p "$config/jvm.options.d"
  # A line an option; those of the user are a list of words.
  # shellcheck disable=SC2086
  printf '%s\n' "-Xms$(heap)" "-Xmx$(heap)" $NODE_JVM_OPTIONS ${ENGINE_JAVA_OPTIONS:-} >"$config/jvm.options.d/agentlore.options"
  sed -e '/^[^#]*-Xlog:gc/d' -e '/^-XX:HeapDumpPath=data/d' -e "s#^-XX:ErrorFile=.*#-XX:ErrorFile=$folder/logs/hs_err_pid%p.log#" \
    -e "s#^\\(-XX:+HeapDumpOnOutOfMemoryError\\)#\\1\\n-XX:HeapDumpPath=$folder/logs#" "$DISTRIBUTION/config/jvm.options" >"$config/jvm.options"
  write_settings "$1" >"$config/elasticsearch.yml"
  if is_root; then chown -R "nobody:$(id -g nobody)" "$config"; fi
  if [[ $SECURITY == true ]]; then make_keystore "$1"; fi
}

# java_tool NODE NAME LIBS ARGS...: become one of Elasticsearch's own programs for a node (call it in a subshell). The user's
# JVM variables are for the user's programs: JAVA_TOOL_OPTIONS would reach the server too.
java_tool() {
  local folder name=$2 libs=$3 detach=()
  folder=$(node_folder "$1")
  shift 3
  # A session of its own: Ctrl-C on `make run` ends the service, not the engine.
  if have setsid; then detach=(setsid); fi
  cd "$DISTRIBUTION" || exit 1
  exec "${detach[@]}" "${DROP[@]}" env -u JAVA_TOOL_OPTIONS -u _JAVA_OPTIONS -u ES_JAVA_OPTS -u JAVA_OPTS -u CLI_JAVA_OPTS \
    "ES_PATH_CONF=$folder/config" "ES_TMPDIR=$folder/tmp" HOME=/nonexistent \
    "$JAVA" -Xms4m -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "-Djava.io.tmpdir=$folder/tmp" \
    "-Dcli.name=$name" -Dcli.script=./bin/elasticsearch "-Dcli.libs=$libs" \
    "-Des.path.home=$DISTRIBUTION" "-Des.path.conf=$folder/config" -Des.distribution.type=tar \
    -cp "$DISTRIBUTION/lib/*:$DISTRIBUTION/lib/cli-launcher/*" org.elasticsearch.launcher.CliToolLauncher "$@" 9>&-
}

LAUNCHERS=() # by node: the launcher that is bringing it up; kept to end them when we are interrupted

# launch_node N: start it in the background. The launcher ends by itself when the node is up, or has failed.
launch_node() {
  configure_node "$1"
  (java_tool "$1" server lib/tools/server-cli -d -p "$(node_folder "$1")/tmp/pid") </dev/null >"$DIR/node-$1.out" 2>&1 &
  LAUNCHERS[$1]=$!
}

# end_launchers: after an interruption or a failure, leave nothing half started. A launcher that is told to end in the middle
# waits for its server, which never learns of it; so both are ended, as the group that setsid made them.
end_launchers() {
  local n signal
  for n in "${!LAUNCHERS[@]}"; do
    for signal in TERM KILL; do
      kill -$signal -- "-${LAUNCHERS[$n]}" 2>/dev/null || kill -$signal "${LAUNCHERS[$n]}" 2>/dev/null || break
      sleep 2
    done
    rm -f "$DIR/node-$n.pid"
  done
}

# starting: is any launcher still at work? Records the nodes that are up so far, and gives up when one of them failed.
starting() {
  local n code=1
  for n in "${!LAUNCHERS[@]}"; do
    if kill -0 "${LAUNCHERS[$n]}" 2>/dev/null; then
      code=0
    elif wait "${LAUNCHERS[$n]}" && [[ -s $(node_folder "$n")/tmp/pid ]]; then
      record "$DIR/node-$n.pid" "$(<"$(node_folder "$n")/tmp/pid")"
      unset "LAUNCHERS[$n]"
    else
      why_it_failed "$n"
      die "node $n did not start (its words are above)." "All of it: $DIR/node-$n.out and $(node_folder "$n")/logs"
    fi
  done
  return $code
}

# es_get N PATH: what node N answers; the password goes in by standard input, where `ps` does not show it.
es_get() {
  local user=()
  if [[ $SECURITY == true ]]; then user=(-K -); fi
  curl -sf --noproxy '*' --max-time 5 "${user[@]}" "http://127.0.0.1:$(http_port "$1")$2" 2>/dev/null <<<"user = \"elastic:$(password)\""
}

# answer QUERY NODE...: does each node answer, and say what the query asks for of the cluster's health?
answer() {
  local n query=$1
  shift
  for n in "$@"; do es_get "$n" "/_cluster/health?timeout=1s$query" >/dev/null || return 1; done
}

# started prints the query for a cluster of all nodes.
started() { echo "&wait_for_status=yellow&wait_for_nodes=%3E%3D$NODES"; }

# why_it_failed N: the node's own last words, and what the JVM leaves behind when it crashes.
why_it_failed() {
  local logs
  logs=$(node_folder "$1")/logs
  {
    grep -svE '^[[:space:]]*(at .*)?$' "$DIR/node-$1.out" | tail -n 12
    grep -sE 'ERROR|FATAL|Exception' "$logs/agentlore-$NAME.log" | tail -n 5
    head -qn 30 "$logs"/hs_err_pid*.log 2>/dev/null | grep -v '^#$'
  } >&2 || true
}

# await_nodes QUERY NODE...: until these nodes answer so. The launchers end when their nodes are up; only then is it worth asking
# over HTTP: asking all the time takes a tenth of a small machine from the nodes that are starting.
await_nodes() {
  local limit=${ENGINE_TIMEOUT:-180} began=$SECONDS told=$SECONDS
  while starting || ! answer "$@"; do
    if ((SECONDS - began > limit)); then
      why_it_failed "$2"
      die "Elasticsearch did not answer within $limit s (ENGINE_TIMEOUT)." "Its logs: scripts/engine logs --name $NAME"
    elif ((SECONDS - told >= 5)); then
      told=$SECONDS
      say "waiting for Elasticsearch: $((SECONDS - began)) s"
    fi
    sleep 0.2
  done
  state_set formed yes
  say "Elasticsearch answers on $(es_urls) after $((SECONDS - began)) s"
}

es_urls() {
  local n urls=()
  for n in $(node_numbers); do urls+=("http://127.0.0.1:$(http_port "$n")"); done
  comma_list "${urls[@]}"
}

start_nodes() {
  local n numbers
  mapfile -t numbers < <(node_numbers)
  find_java
  say "Elasticsearch $ES_VERSION from $DISTRIBUTION: $NODES node(s), heap $(heap) each,$(
    is_root && echo " as user nobody,") security $SECURITY"
  for n in "${numbers[@]}"; do alive "$DIR/node-$n.pid" || launch_node "$n"; done
  await_nodes "$(started)" "${numbers[@]}"
}

stop_nodes() {
  local file
  for file in "$DIR"/node-*.pid; do alive "$file" && kill -TERM "$PID" 2>/dev/null; done # all at once, then wait for each
  for file in "$DIR"/node-*.pid; do end "$file" 30; done
}

# password prints the one of Elasticsearch's user elastic, kept with the name for its owner alone; made where there is none.
password() {
  if [[ $SECURITY != true ]]; then return; fi
  if [[ ! -s $DIR/password ]]; then (umask 077 && LC_ALL=C tr -dc 'a-z0-9' </dev/urandom 2>/dev/null | head -c 32 >"$DIR/password") || true; fi
  cat "$DIR/password"
}

# make_keystore N: Elasticsearch takes the first password of its user elastic from its keystore.
make_keystore() {
  local out
  out=$( (java_tool "$1" keystore lib/tools/keystore-cli add --force --stdin bootstrap.password) 2>&1 <<<"$(password)") ||
    die "no keystore for node $1: $out"
}
