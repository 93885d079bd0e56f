# shellcheck shell=bash
# The same engine in containers: the image and settings of docker-compose.yml, this name's ports. Sourced, never run.

container() { echo "agentlore-$(short_hash "$DIR")-$NAME-$1"; }

docker_works() { have docker && timeout 10 docker info --format '{{.ServerVersion}}' >/dev/null 2>&1; }

docker_running() { [[ $(docker inspect -f '{{.State.Running}}' "$1" 2>/dev/null) == true ]]; }

start_container() {
  local image name password=()
  name=$(container 1)
  if docker_running "$name"; then return; fi
  ((NODES == 1)) || die "several nodes are started without Docker only." \
    "ENGINE_SOURCE=maven scripts/engine start ..., or docker compose --profile cluster up"
  image=$(sed -n 's/^ *image: *\(docker\.elastic\.co\/elasticsearch\/elasticsearch:[^ ]*\).*/\1/p' "$REPO/docker-compose.yml" | head -n 1)
  if [[ $SECURITY == true ]]; then password=(-e ELASTIC_PASSWORD); fi # by name alone: the value stays out of the argument list
  say "Elasticsearch by Docker: $image, heap $(heap)"
  docker rm -f "$name" >/dev/null 2>&1 || true
  ELASTIC_PASSWORD=$(password) docker run -d --name "$name" -p "127.0.0.1:$(http_port 1):9200" -v "$name:/usr/share/elasticsearch/data" \
    --env-file "$REPO/scripts/elasticsearch.settings" -e "ES_JAVA_OPTS=-Xms$(heap) -Xmx$(heap) $NODE_JVM_OPTIONS" \
    -e "cluster.name=agentlore-$NAME" -e node.name=node-1 -e "xpack.security.enabled=$SECURITY" -e discovery.type=single-node \
    -e cluster.routing.allocation.disk.threshold_enabled=false -e cluster.max_shards_per_node=3000 \
    -e xpack.ml.enabled=false -e ingest.geoip.downloader.enabled=false -e path.repo=/usr/share/elasticsearch/data/snapshots \
    "${password[@]}" "$image" >/dev/null || die "Docker could not start $name."
  await_nodes "$(started)" 1
}

start_redis_container() {
  local name
  name=$(container redis)
  docker rm -f "$name" >/dev/null 2>&1 || true
  docker run -d --name "$name" -p "127.0.0.1:$(redis_port):6379" -v "$REPO/scripts/redis.conf:/usr/local/etc/redis/redis.conf:ro" \
    "$REDIS_IMAGE" redis-server /usr/local/etc/redis/redis.conf --bind "*" --protected-mode no >/dev/null || die "Docker could not start Redis."
  state_set redis container
  say "Redis by Docker ($REDIS_IMAGE) on $(redis_url)"
}
