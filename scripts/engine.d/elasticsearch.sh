# shellcheck shell=bash
# Configure, start, await and stop the nodes of one name from a distribution on disk. Sourced, never run.

node_folder() { echo "$DIR/node-$1"; }
node_pid_file() { echo "$DIR/node-$1.pid"; }

node_numbers() { seq 1 "$NODES"; }

# comma_list ITEM...: joined by commas.
comma_list() {
  local item list=""
  for item in "$@"; do list=${list:+$list,}$item; done
  echo "$list"
}

heap() {
  if [[ -n ${ENGINE_HEAP:-} ]]; then
    echo "$ENGINE_HEAP"
  elif ((NODES > 1)); then
    echo 512m
  else
    echo 1g
  fi
}

# Options of the JVM wherever agentlore runs Elasticsearch; docker-compose.yml has them too. Its heap is touched whole at start, so
# huge pages cost no memory; where the kernel gives them on request (madvise) a search takes 7 to 10 % less time (docs/figures.md).
NODE_JVM_OPTIONS=-XX:+UseTransparentHugePages

common_settings() { grep -v -e '^[[:space:]]*#' -e '^[[:space:]]*$' "$REPO/scripts/elasticsearch.settings"; }

# has_module NAME: the archive from Elastic knows settings that the one from Maven would refuse to start with.
has_module() { [[ -d $DISTRIBUTION/modules/$1 ]]; }

# write_settings N: elasticsearch.yml of node N on standard output.
write_settings() {
  local folder n seeds=() masters=()
  folder=$(node_folder "$1")
  echo "# Written by scripts/engine at every start."
  common_settings | sed 's/=/: /'
  cat <<YAML
cluster.name: agentlore-$NAME
node.name: node-$1
path.data: $folder/data
path.logs: $folder/logs
path.repo: $DIR/snapshots
network.host: 127.0.0.1
http.port: $(http_port "$1")
transport.port: $(transport_port "$1")
xpack.security.enabled: $SECURITY
# A laptop's disk is often fuller than a server's may be; and tests make many small indices.
cluster.routing.allocation.disk.threshold_enabled: false
cluster.max_shards_per_node: 3000
YAML
  if has_module x-pack-ml; then echo "xpack.ml.enabled: false"; fi
  if has_module ingest-geoip; then echo "ingest.geoip.downloader.enabled: false"; fi
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
  if [[ $SECURITY == true ]]; then
    # With security on, Elasticsearch lets nodes join each other only over TLS.
    cat <<YAML
xpack.security.transport.ssl.enabled: true
xpack.security.transport.ssl.verification_mode: certificate
xpack.security.transport.ssl.keystore.path: transport.p12
xpack.security.transport.ssl.truststore.path: transport.p12
YAML
  fi
}

# configure_node N: a fresh copy of the distribution's config with our settings; data stays as it is.
configure_node() {
  local folder config heap
  folder=$(node_folder "$1")
  config=$folder/config
  heap=$(heap)
  rm -rf "$config" "$folder/tmp"
  own "$folder" "$folder/data" "$folder/logs" "$folder/tmp" "$DIR/snapshots"
  cp -R "$DISTRIBUTION/config" "$config"
  mkdir -p "$config/jvm.options.d"
  printf -- '-Xms%s\n-Xmx%s\n%s\n' "$heap" "$heap" "$NODE_JVM_OPTIONS" >"$config/jvm.options.d/agentlore.options"
  # A list of words, one option each.
  printf '%s\n' ${ENGINE_JAVA_OPTIONS:-} >"$config/jvm.options.d/engine.options"
  sed -e '/^[^#]*-Xlog:gc/d' \
    -e "s#^\\(-XX:+HeapDumpOnOutOfMemoryError\\)#\\1\\n-XX:HeapDumpPath=$folder/logs#" \
    -e "s#^-XX:ErrorFile=.*#-XX:ErrorFile=$folder/logs/hs_err_pid%p.log#" \
    -e '/^-XX:HeapDumpPath=data/d' \
    "$DISTRIBUTION/config/jvm.options" >"$config/jvm.options"
  write_settings "$1" >"$config/elasticsearch.yml"
  if [[ $SECURITY == true ]]; then
    make_password
    if ((NODES > 1)); then cp "$(transport_certificate)" "$config/transport.p12"; fi
  fi
  if is_root; then chown -R "$ENGINE_UID:$ENGINE_GID" "$config"; fi
  if [[ $SECURITY == true ]]; then make_keystore "$1"; fi
}

# java_tool NODE NAME LIBS ARGS...: become one of Elasticsearch's own programs for a node (call it in a subshell). The user's
# JVM variables are for the user's programs: JAVA_TOOL_OPTIONS would reach the server too.
java_tool() {
  local folder name=$2 libs=$3
  folder=$(node_folder "$1")
  shift 3
  cd "$DISTRIBUTION" || exit 1
  exec "${DETACH[@]}" "${DROP[@]}" env -u JAVA_TOOL_OPTIONS -u _JAVA_OPTIONS -u ES_JAVA_OPTS -u JAVA_OPTS -u CLI_JAVA_OPTS \
    "ES_PATH_CONF=$folder/config" "ES_TMPDIR=$folder/tmp" HOME=/nonexistent \
    "$JAVA" -Xms4m -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "-Djava.io.tmpdir=$folder/tmp" \
    "-Dcli.name=$name" "-Dcli.script=./bin/elasticsearch" "-Dcli.libs=$libs" \
    "-Des.path.home=$DISTRIBUTION" "-Des.path.conf=$folder/config" -Des.distribution.type=tar \
    -cp "$DISTRIBUTION/lib/*:$DISTRIBUTION/lib/cli-launcher/*" org.elasticsearch.launcher.CliToolLauncher "$@" 9>&-
}

LAUNCHERS=() # by node: the launcher that is bringing it up; kept to end them when we are interrupted

# launch_node N: start it in the background. The launcher ends by itself when the node is up, or has failed.
launch_node() {
  local folder
  folder=$(node_folder "$1")
  DETACH=()
  # A session of its own: Ctrl-C on `make run` ends the service, not the engine.
  if have setsid; then DETACH=(setsid); fi
  rm -f "$folder/tmp/pid"
  (java_tool "$1" server lib/tools/server-cli -d -p "$folder/tmp/pid") </dev/null >"$DIR/node-$1.out" 2>&1 &
  LAUNCHERS[$1]=$!
}

# adopt_node N: once Elasticsearch has written its pid, remember it by our own file, which its user can't write.
adopt_node() {
  local pid file
  file=$(node_folder "$1")/tmp/pid
  [[ -s $file ]] || return 1
  pid=$(<"$file")
  [[ $pid =~ ^[0-9]+$ ]] || return 1
  if [[ -d /proc/$pid ]]; then [[ $(stat -c %u "/proc/$pid" 2>/dev/null) == "$ENGINE_UID" ]] || return 1; fi
  record "$(node_pid_file "$1")" "$pid"
}

# end_launchers: after an interruption or a failure, leave nothing half started. A launcher that is told to end in the middle
# waits for its server, which never learns of it; so both are ended, as the group that setsid made them.
end_launchers() {
  local n pid tries
  for n in "${!LAUNCHERS[@]}"; do
    pid=${LAUNCHERS[$n]}
    for ((tries = 0; tries < 50; tries++)); do
      kill -TERM -- "-$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null || true
    rm -f "$(node_pid_file "$n")"
  done
}

# es_get N PATH: what node N answers; the password goes in by standard input, where `ps` does not show it.
es_get() {
  local url
  url=http://127.0.0.1:$(http_port "$1")$2
  if [[ $SECURITY == true ]]; then
    printf 'user = "elastic:%s"\n' "$(<"$DIR/password")" | curl -sf --noproxy '*' --max-time 5 -K - "$url"
  else
    curl -sf --noproxy '*' --max-time 5 "$url"
  fi 2>/dev/null
}

answers() { es_get "$1" "/_cluster/health?wait_for_nodes=%3E%3D$NODES&wait_for_status=yellow&timeout=1s" >/dev/null; }

# why_it_failed N: the node's own last words.
why_it_failed() {
  local log
  log=$(node_folder "$1")/logs/agentlore-$NAME.log
  if [[ $(state_get source) == docker ]]; then
    docker logs --tail 12 "$(container "$1")" >&2 || true
    return
  fi
  grep -svE '^[[:space:]]*(at .*)?$' "$DIR/node-$1.out" | tail -n 12 >&2 || true
  grep -sE 'ERROR|FATAL|Exception' "$log" | tail -n 5 >&2 || true
  # What the JVM leaves behind when it crashes.
  head -qn 30 "$(node_folder "$1")"/logs/hs_err_pid*.log 2>/dev/null | grep -v '^#$' >&2 || true
}

# starting: is any launcher still at work? Adopts the nodes that are up so far, and gives up when one of them failed.
starting() {
  local n code=1
  for n in "${!LAUNCHERS[@]}"; do
    if kill -0 "${LAUNCHERS[$n]}" 2>/dev/null; then
      code=0
    elif wait "${LAUNCHERS[$n]}" && adopt_node "$n"; then
      unset "LAUNCHERS[$n]"
    else
      why_it_failed "$n"
      die "node $n did not start (its words are above)." "All of it: $DIR/node-$n.out and $(node_folder "$n")/logs"
    fi
  done
  return $code
}

forming() {
  local n
  for n in $(node_numbers); do answers "$n" || return 0; done
  return 1
}

# await_nodes: until every node answers and sees all the others. The launchers end when their nodes are up; only then is it
# worth asking over HTTP: asking all the time takes a tenth of a small machine from the nodes that are starting.
await_nodes() {
  local limit=${ENGINE_TIMEOUT:-180} began=$SECONDS told=$SECONDS
  while starting || forming; do
    if ((SECONDS - began > limit)); then
      why_it_failed 1
      die "Elasticsearch did not answer within $limit s (ENGINE_TIMEOUT)." "Its logs: scripts/engine logs --name $NAME"
    fi
    if ((SECONDS - told >= 5)); then
      told=$SECONDS
      say "waiting for Elasticsearch: $((SECONDS - began)) s"
    fi
    sleep 0.2
  done
  say "Elasticsearch answers on $(es_urls) after $((SECONDS - began)) s"
}

es_urls() {
  local n urls=()
  for n in $(node_numbers); do urls+=("http://127.0.0.1:$(http_port "$n")"); done
  comma_list "${urls[@]}"
}

start_nodes() {
  local n missing=()
  for n in $(node_numbers); do alive "$(node_pid_file "$n")" || missing+=("$n"); done
  if ((${#missing[@]} == 0)); then return; fi
  find_java
  say "Elasticsearch $ES_VERSION from $DISTRIBUTION: $NODES node$([[ $NODES == 1 ]] || echo s), heap $(heap) each,$(
    is_root && echo " as user nobody,") security $([[ $SECURITY == true ]] && echo on || echo off)"
  for n in "${missing[@]}"; do configure_node "$n"; done
  for n in "${missing[@]}"; do launch_node "$n"; done
  await_nodes
  state_set formed yes
}

# add_node N: start node N and wait until it is one of the cluster's.
add_node() {
  local limit=${ENGINE_TIMEOUT:-180} began=$SECONDS
  find_java
  configure_node "$1"
  launch_node "$1"
  while starting || ! es_get "$1" "/_cluster/health?timeout=1s" >/dev/null; do
    if ((SECONDS - began > limit)); then
      why_it_failed "$1"
      die "node $1 did not join within $limit s (ENGINE_TIMEOUT)."
    fi
    sleep 0.2
  done
  say "node $1 has joined on http://127.0.0.1:$(http_port "$1") after $((SECONDS - began)) s"
}

stop_nodes() {
  local n file ending=()
  for file in "$DIR"/node-*.pid; do
    [[ -e $file ]] || continue
    alive "$file" && kill -TERM "$PID" 2>/dev/null # all at once, then wait for each
    ending+=("$file")
  done
  for file in "${ending[@]}"; do end "$file" 30; done
}

# ---- security --------------------------------------------------------------------------------------------------------

random_word() { LC_ALL=C tr -dc 'a-z0-9' </dev/urandom 2>/dev/null | head -c 32 || true; }

# make_password: of Elasticsearch's user elastic, and of the certificate's file; kept with the name, for its owner alone.
make_password() {
  [[ -s $DIR/password ]] || (umask 077 && random_word >"$DIR/password")
}

# transport_certificate prints the file of the one self-signed certificate that all nodes of this name share.
transport_certificate() {
  local file=$DIR/transport.p12 keytool secret=("-storepass:file" "$DIR/password")
  keytool=$(dirname "$JAVA")/keytool
  if [[ ! -e $file ]]; then
    {
      "$keytool" -genkeypair -alias node -keyalg EC -dname "CN=agentlore-$NAME" -validity 3650 \
        -storetype PKCS12 -keystore "$file.new" "${secret[@]}" &&
        "$keytool" -exportcert -alias node -keystore "$file.new" "${secret[@]}" -file "$file.crt" &&
        "$keytool" -importcert -noprompt -alias trusted -file "$file.crt" -keystore "$file.new" "${secret[@]}" &&
        mv "$file.new" "$file"
    } >"$DIR/keytool.out" 2>&1 || die "keytool could not make the nodes' certificate: $(tail -n 3 "$DIR/keytool.out")"
    rm -f "$file.crt"
  fi
  echo "$file"
}

# make_keystore N: Elasticsearch takes the first password of its user elastic from its keystore, and the certificate's too. The
# tool takes seconds, so one keystore is made for all nodes of a name, and kept.
make_keystore() {
  local out settings=(bootstrap.password) values config file=$DIR/elasticsearch.keystore
  config=$(node_folder "$1")/config
  if [[ ! -e $file ]]; then
    if ((NODES > 1)); then settings+=(xpack.security.transport.ssl.{keystore,truststore}.secure_password); fi
    # One line for each setting: it is the same password.
    values=$(for _ in "${settings[@]}"; do cat "$DIR/password" && echo; done)
    DETACH=()
    out=$( (java_tool "$1" keystore lib/tools/keystore-cli add --force --stdin "${settings[@]}") 2>&1 <<<"$values") ||
      die "no keystore for node $1: $out"
    (umask 077 && cp "$config/elasticsearch.keystore" "$file")
  fi
  cp "$file" "$config/elasticsearch.keystore"
  if is_root; then chown "$ENGINE_UID:$ENGINE_GID" "$config/elasticsearch.keystore"; fi
}
