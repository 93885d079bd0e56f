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

# DROP is what a command is prefixed with to run as the engine's user. Elasticsearch refuses to run as root.
DROP=()
ENGINE_UID=$EUID
ENGINE_GID=$(id -g)
choose_user() {
  is_root || return 0
  have setpriv || die "running as root, and setpriv (package util-linux) is missing." \
    "Elasticsearch refuses to run as root: install util-linux, or run this as another user."
  id -u nobody >/dev/null 2>&1 || die "running as root, and there is no user nobody to run Elasticsearch as."
  ENGINE_UID=$(id -u nobody)
  ENGINE_GID=$(id -g nobody)
  DROP=(setpriv "--reuid=$ENGINE_UID" "--regid=$ENGINE_GID" --clear-groups)
}

# usable DIR: can the engine's user enter DIR, and we create it? The nearest folder that exists answers; those we create
# below it are open to enter (umask 022).
usable() {
  local folder=$1
  while [[ ! -e $folder ]]; do folder=$(dirname "$folder"); done
  [[ -d $folder && -w $folder ]] && "${DROP[@]}" test -x "$folder" 2>/dev/null
}

short_hash() { printf '%s' "$1" | cksum | cut -d' ' -f1; }

# choose_folders sets CACHE (distributions, shared by all clones of a user) and ROOT (state and data of this clone).
FOLDER_NOTE="" # said at start when the wanted folder could not be used
choose_folders() {
  local user_cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/agentlore
  if [[ -n ${AGENTLORE_CACHE:-} ]]; then
    CACHE=$AGENTLORE_CACHE
    usable "$CACHE" || [[ -e $CACHE/elasticsearch-$ES_VERSION/.complete ]] ||
      die "AGENTLORE_CACHE=$CACHE cannot be written here, or not entered by the engine's user."
  elif usable "$user_cache"; then
    CACHE=$user_cache
  elif is_root; then
    CACHE=/var/cache/agentlore # as root the home folder is usually closed to nobody
  else
    CACHE=${TMPDIR:-/tmp}/agentlore-cache-$EUID
    [[ ! -e $CACHE || -O $CACHE ]] || die "$CACHE belongs to somebody else." "Name a folder of yours in AGENTLORE_CACHE."
  fi

  local wanted=${AGENTLORE_HOME:-$REPO/.agentlore}
  [[ $wanted == /* ]] || wanted=$PWD/$wanted
  ROOT=$wanted/engine
  if ! usable "$ROOT"; then
    local fallback
    fallback=/var/lib/agentlore/$(short_hash "$wanted")
    usable "$fallback" || fallback=${TMPDIR:-/tmp}/agentlore-$EUID-$(short_hash "$wanted")
    # Under /tmp anybody may have put a folder of that name first.
    [[ ! -e $fallback || -O $fallback ]] || die "$fallback belongs to somebody else." "Name a folder of yours in AGENTLORE_HOME."
    ROOT=$fallback/engine
    FOLDER_NOTE="$wanted cannot be written here, or not entered by the engine's user; using $fallback"
  fi
}

# own FOLDER...: create them and give them to the engine's user.
own() {
  mkdir -p "$@"
  if is_root; then chown "$ENGINE_UID:$ENGINE_GID" "$@"; fi
}

# lock FILE WORDS: hold FILE's lock until this script ends; say WORDS when somebody else holds it. Commands that outlive the
# script are started with 9>&- so that they don't keep it.
lock() {
  have flock || die "flock (package util-linux) is missing."
  mkdir -p "$(dirname "$1")"
  exec 9>"$1"
  flock -n 9 && return
  say "$2"
  flock 9
}
unlock() { exec 9>&-; }

# ---- processes -------------------------------------------------------------------------------------------------------

# identity PID: what tells this process from a later one of the same number, also across a reboot.
identity() {
  if [[ -r /proc/$1/stat ]]; then
    local stat boot=""
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    # Fields are counted after the last ")": a command's name may hold spaces. The start time is the 20th of them.
    read -r -a stat <<<"${stat##*) }"
    [[ ${stat[0]} != Z ]] || return 1
    [[ -r /proc/sys/kernel/random/boot_id ]] && boot=$(</proc/sys/kernel/random/boot_id)
    printf '%s@%s' "${stat[19]}" "$boot"
  else
    [[ ! -d /proc/self ]] || return 1
    local started
    started=$(ps -o lstart= -p "$1" 2>/dev/null) || return 1
    printf '%s' "${started// /_}"
  fi
}

# record FILE PID: remember a process that we started.
record() { printf '%s %s\n' "$2" "$(identity "$2")" >"$1"; }

# alive FILE: does the process recorded in FILE still run? Sets PID. A stale file, or a stranger with that number, is not it.
alive() {
  local was
  PID=""
  [[ -r $1 ]] || return 1
  read -r PID was <"$1" || return 1
  [[ -n $PID && -n $was && $(identity "$PID") == "$was" ]]
}

# end FILE SECONDS: stop the process recorded in FILE, by force after SECONDS.
end() {
  if alive "$1"; then
    local pid=$PID waited=0
    kill -TERM "$pid" 2>/dev/null || true
    while alive "$1"; do
      sleep 0.1
      waited=$((waited + 1))
      if ((waited == $2 * 10)); then
        say "process $pid did not stop in $2 s; ending it by force"
        kill -KILL "$pid" 2>/dev/null || true
      elif ((waited > $2 * 10 + 100)); then
        die "process $pid cannot be ended."
      fi
    done
  fi
  rm -f "$1"
}

# ---- state: one file of key=value lines a name -----------------------------------------------------------------------

state_get() {
  [[ -r $DIR/state ]] || return 0
  sed -n "s/^$1=//p" "$DIR/state" | head -n 1
}

# state_set KEY VALUE: by rename, so that a reader never sees half a file.
state_set() {
  mkdir -p "$DIR"
  { if [[ -r $DIR/state ]]; then grep -v "^$1=" "$DIR/state" || true; fi; printf '%s=%s\n' "$1" "$2"; } >"$DIR/state.new"
  mv "$DIR/state.new" "$DIR/state"
}

# ---- ports -----------------------------------------------------------------------------------------------------------

# Each name has a block of ports: HTTP at base+0.., transport at base+5.., Redis at base+10. The block follows from the
# folder and the name, below the range that the kernel hands out, and is kept in the state file.
MAX_NODES=5
http_port() { echo $((PORT_BASE + $1 - 1)); }
transport_port() { echo $((PORT_BASE + MAX_NODES + $1 - 1)); }
redis_port() { echo $((PORT_BASE + 2 * MAX_NODES)); }

port_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

block_free() {
  local port
  for ((port = $1; port <= $1 + 2 * MAX_NODES; port++)); do port_free "$port" || return 1; done
}

choose_ports() {
  local kept tries
  kept=$(state_get port_base)
  PORT_BASE=${kept:-$((20000 + 16 * ($(short_hash "$DIR") % 700)))}
  if [[ -n $kept ]] && anything_alive; then return; fi
  for ((tries = 0; tries < 700; tries++)); do
    if block_free "$PORT_BASE"; then
      if [[ -n $kept && $kept != "$PORT_BASE" ]]; then say "its ports were taken by others; moved to $PORT_BASE and up"; fi
      state_set port_base "$PORT_BASE"
      return
    fi
    PORT_BASE=$((PORT_BASE + 16))
    if ((PORT_BASE > 31200)); then PORT_BASE=20000; fi
  done
  die "no free block of ports between 20000 and 31200 on 127.0.0.1."
}
