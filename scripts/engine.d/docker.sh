# shellcheck shell=bash
# The same engine in containers: the image and settings of docker-compose.yml, this name's ports. Sourced, never run.

container() { echo "agentlore-$(short_hash "$DIR")-$NAME-$1"; }

elasticsearch_image() {
  sed -n 's/^ *image: *\(docker\.elastic\.co\/elasticsearch\/elasticsearch:[^ ]*\).*/\1/p' "$REPO/docker-compose.yml" | head -n 1
}

docker_running() { [[ $(docker inspect -f '{{.State.Running}}' "$1" 2>/dev/null) == true ]]; }

start_containers() {
  local image network n name masters=() seeds=() options heap
  image=$(elasticsearch_image)
  [[ -n $image ]] || die "docker-compose.yml names no image of Elasticsearch."
  if [[ $SECURITY == true ]] && ((NODES > 1)); then
    die "several nodes with security need certificates, which scripts/engine makes without Docker only." \
      "ENGINE_SOURCE=maven scripts/engine start ..., or docker compose --profile cluster up"
  fi
  network=$(container net)
  heap=$(heap)
  for n in $(node_numbers); do
    masters+=("node-$n")
    seeds+=("$(container "$n"):9300")
  done
  say "Elasticsearch by Docker: $image, $NODES node$([[ $NODES == 1 ]] || echo s), heap $heap each"
  docker network inspect "$network" >/dev/null 2>&1 || docker network create "$network" >/dev/null
  for n in $(node_numbers); do
    name=$(container "$n")
    if docker_running "$name"; then continue; fi
    docker rm -f "$name" >/dev/null 2>&1 || true
    options=(--env-file "$REPO/scripts/elasticsearch.settings" -e "ES_JAVA_OPTS=-Xms$heap -Xmx$heap $NODE_JVM_OPTIONS"
      -e "cluster.name=agentlore-$NAME" -e "node.name=node-$n" -e "xpack.security.enabled=$SECURITY"
      -e cluster.routing.allocation.disk.threshold_enabled=false -e cluster.max_shards_per_node=3000
      -e xpack.ml.enabled=false -e ingest.geoip.downloader.enabled=false
      -e path.repo=/usr/share/elasticsearch/data/snapshots)
    if ((NODES == 1)); then
      options+=(-e discovery.type=single-node)
    else
      # Containers are not on loopback, so Elasticsearch checks the host; without mmap it needs nothing from the kernel.
      options+=(-e "discovery.seed_hosts=$(comma_list "${seeds[@]}")" -e node.store.allow_mmap=false)
      if [[ -z $(state_get formed) ]]; then options+=(-e "cluster.initial_master_nodes=$(comma_list "${masters[@]}")"); fi
    fi
    if [[ $SECURITY == true ]]; then
      make_password
      # By name alone: the value stays out of the argument list.
      options+=(-e ELASTIC_PASSWORD)
    fi
    ELASTIC_PASSWORD=$(cat "$DIR/password" 2>/dev/null || true) docker run -d --name "$name" --network "$network" \
      -p "127.0.0.1:$(http_port "$n"):9200" -v "$name:/usr/share/elasticsearch/data" "${options[@]}" "$image" >/dev/null ||
      die "Docker could not start $name."
  done
  await_nodes
  state_set formed yes
}

start_redis_container() {
  local name
  name=$(container redis)
  docker rm -f "$name" >/dev/null 2>&1 || true
  docker run -d --name "$name" -p "127.0.0.1:$(redis_port):6379" \
    -v "$REPO/scripts/redis.conf:/usr/local/etc/redis/redis.conf:ro" \
    "$REDIS_IMAGE" redis-server /usr/local/etc/redis/redis.conf --bind "*" --protected-mode no >/dev/null || die "Docker could not start Redis."
  state_set redis container
  say "Redis by Docker ($REDIS_IMAGE) on $(redis_url)"
}

stop_containers() {
  local n
  for n in $(node_numbers); do docker rm -f "$(container "$n")" >/dev/null 2>&1 || true; done
  docker network rm "$(container net)" >/dev/null 2>&1 || true
}

wipe_containers() {
  local n
  for ((n = 1; n <= MAX_NODES; n++)); do docker volume rm -f "$(container "$n")" >/dev/null 2>&1 || true; done
}
