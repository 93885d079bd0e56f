# shellcheck shell=bash
# Words, folders, locks, process identity and the state file of scripts/engine. Sourced, never run.

say() { printf 'engine %s: %s\n' "$NAME" "$*" >&2; }

# die MESSAGE [HINT...]: the message on one line, each hint on one of its own.
die() {
  say "$1"
  shift
  if (($# > 0)); then printf '  %s\n' "$@" >&2; fi
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }
is_root() { ((EUID == 0)); }
short_hash() { printf '%s' "$1" | cksum | cut -d' ' -f1; }

# comma_list ITEM...: joined by commas.
comma_list() { local IFS=,; echo "$*"; }

# await SECONDS COMMAND...: until the command succeeds; fails after so many seconds.
await() {
  local left=$(($1 * 10))
  shift
  until "$@"; do
    ((left-- > 0)) || return 1
    sleep 0.1
  done
}

# DROP is what a command is prefixed with to run as the engine's user. Elasticsearch refuses to run as root.
DROP=()
choose_user() {
  is_root || return 0
  have setpriv || die "running as root, and setpriv (package util-linux) is missing." \
    "Elasticsearch refuses to run as root: install util-linux, or run this as another user."
  DROP=(setpriv --reuid=nobody "--regid=$(id -g nobody)" --clear-groups)
}

# own FOLDER...: create them and give them to the engine's user.
own() {
  mkdir -p "$@"
  if is_root; then chown "nobody:$(id -g nobody)" "$@"; fi
}

# usable DIR: can the engine's user enter DIR, and this one create it? The nearest folder that exists answers.
usable() {
  local folder=$1
  while [[ ! -e $folder ]]; do folder=$(dirname "$folder"); done
  [[ -d $folder && -w $folder ]] && "${DROP[@]}" test -x "$folder" 2>/dev/null
}

# choose_folders sets CACHE (distributions, shared by all clones of a user) and ROOT (state and data of this clone). Root's home,
# and clones in it, are usually closed to nobody.
choose_folders() {
  local wanted=${AGENTLORE_HOME:-$REPO/.agentlore}
  CACHE=${AGENTLORE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/agentlore}
  if [[ -z ${AGENTLORE_CACHE:-} ]] && is_root && ! usable "$CACHE"; then CACHE=/var/cache/agentlore; fi
  usable "$CACHE" || [[ -e $CACHE/elasticsearch-$ES_VERSION/.complete ]] ||
    die "$CACHE cannot be written here, or not entered by the engine's user." "Name another folder in AGENTLORE_CACHE."
  [[ $wanted == /* ]] || wanted=$PWD/$wanted
  ROOT=$wanted/engine
  if ! usable "$ROOT" && is_root; then
    ROOT=/var/lib/agentlore/$(short_hash "$wanted")/engine
  fi
  usable "$ROOT" || die "$ROOT cannot be written here, or not entered by the engine's user." "Name another folder in AGENTLORE_HOME."
}

# lock FILE WORDS: hold FILE's lock until this script ends; say WORDS when another process holds it. Commands that outlive the
# script are started with 9>&- so that they don't keep it.
lock() {
  have flock || die "flock (package util-linux) is missing."
  mkdir -p "$(dirname "$1")"
  exec 9>"$1"
  flock -n 9 && return
  say "$2"
  flock 9
}

# ---- processes -------------------------------------------------------------------------------------------------------

# identity PID: what tells this process from a later one of the same number, also across a reboot.
identity() {
  local fields
  if [[ -d /proc/self ]]; then
    fields=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    # Fields are counted after the last ")": a command's name may hold spaces. The start time is the 20th of them.
    read -r -a fields <<<"${fields##*) }"
    [[ ${fields[0]} != Z ]] && echo "${fields[19]}@$(cat /proc/sys/kernel/random/boot_id)"
  else
    fields=$(ps -o lstart= -p "$1" 2>/dev/null) && echo "${fields// /_}"
  fi
}

# record FILE PID: remember a process that we started.
record() { printf '%s %s\n' "$2" "$(identity "$2")" >"$1"; }

# alive FILE: does the process recorded in FILE still run? Sets PID. A stale file, or a stranger with that number, is not it.
alive() {
  local was
  PID=""
  [[ -r $1 ]] && read -r PID was <"$1" && [[ -n $was && $(identity "$PID") == "$was" ]]
}
ended() { ! alive "$1"; }

# end FILE SECONDS: stop the process recorded in FILE, by force after SECONDS.
end() {
  local pid
  if alive "$1"; then
    pid=$PID
    kill -TERM "$pid" 2>/dev/null || true
    if ! await "$2" ended "$1"; then
      say "process $pid did not stop in $2 s; ending it by force"
      kill -KILL "$pid" 2>/dev/null || true
      await 10 ended "$1" || die "process $pid cannot be ended."
    fi
  fi
  rm -f "$1"
}

# ---- state: one file of key=value lines a name -----------------------------------------------------------------------

state_get() { sed -n "s/^$1=//p" "$DIR/state" 2>/dev/null || true; }

# state_set KEY VALUE: by rename, so that a reader never sees half a file.
state_set() {
  { grep -sv "^$1=" "$DIR/state" || true; printf '%s=%s\n' "$1" "$2"; } >"$DIR/state.new"
  mv "$DIR/state.new" "$DIR/state"
}

# ---- ports -----------------------------------------------------------------------------------------------------------

# Each name has a block of ports: HTTP at base+0.., transport at base+5.., Redis at base+10. The block follows from the
# folder and the name, below the range that the kernel hands out, and is kept in the state file.
MAX_NODES=5
http_port() { echo $((PORT_BASE + $1 - 1)); }
transport_port() { echo $((PORT_BASE + MAX_NODES + $1 - 1)); }
redis_port() { echo $((PORT_BASE + 2 * MAX_NODES)); }

block_free() {
  local port
  for ((port = PORT_BASE; port <= PORT_BASE + 2 * MAX_NODES; port++)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return 1; fi
  done
}

choose_ports() {
  local kept=$PORT_BASE tries
  if [[ -n $kept ]] && anything_alive; then return; fi
  PORT_BASE=${kept:-$((20000 + 16 * ($(short_hash "$DIR") % 700)))}
  for ((tries = 0; tries < 700; tries++)); do
    if block_free; then
      if [[ -n $kept && $kept != "$PORT_BASE" ]]; then say "its ports were taken by others; moved to $PORT_BASE and up"; fi
      state_set port_base "$PORT_BASE"
      return
    fi
    PORT_BASE=$((20000 + (PORT_BASE + 16 - 20000) % 11200))
  done
  die "no free block of ports between 20000 and 31200 on 127.0.0.1."
}
