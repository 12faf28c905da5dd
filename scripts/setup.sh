#!/bin/sh
# Prepares this machine: installs Deno from npm if it is missing or too old, and Debian's software Vulkan driver if there is
# no WebGPU adapter. Prints nothing if there is nothing to do. --cluster also installs what `deno task test:cluster` needs:
# Slurm, Open MPI and MPICH.
#
#     sh scripts/setup.sh [--cluster]
set -eu

DENO_VERSION=2.9.6

say() { echo "setup: $*" >&2; }
fail() {
  say "$*"
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

can_be_root() { [ "$(id -u)" -eq 0 ] || have sudo; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

deno_fits() {
  have deno || return 1
  found=$(deno --version 2>/dev/null | sed -n '1s/^deno \([0-9.]*\).*/\1/p')
  [ -n "$found" ] && [ "$(printf '%s\n' "$DENO_VERSION" "$found" | sort -V | head -n 1)" = "$DENO_VERSION" ]
}

install_deno() {
  have npm || fail "Deno $DENO_VERSION or newer is required, and npm was not found. Install Node.js with npm, or Deno itself (https://docs.deno.com/runtime/getting_started/installation/)"
  prefix=$(npm prefix --global 2>/dev/null) || fail "cannot find npm's folder: npm prefix --global failed"
  say "installing Deno $DENO_VERSION with npm into $prefix"
  target=$prefix/lib/node_modules
  while [ ! -e "$target" ]; do target=$(dirname "$target"); done
  set -- npm install --global --no-fund --no-audit --loglevel=error "deno@$DENO_VERSION"
  if [ -w "$target" ]; then
    "$@" >&2 || fail "npm could not install Deno"
  elif can_be_root; then
    as_root "$@" >&2 || fail "npm could not install Deno"
  else
    fail "npm's folder $prefix is not writable and sudo was not found. Set a writable folder, then run this again:
  npm config set prefix \"\$HOME/.local\" && export PATH=\"\$HOME/.local/bin:\$PATH\""
  fi
  hash -r
  deno_fits && return
  if [ -x "$prefix/bin/deno" ]; then
    fail "Deno $DENO_VERSION is in $prefix/bin, but the shell finds $(command -v deno || echo none) first. Put that folder first in PATH, then run this again:
  export PATH=\"$prefix/bin:\$PATH\""
  fi
  fail "npm installed Deno, but it does not run"
}

# Succeeds if Tacho would find an adapter. Requests Vulkan on Linux, like runtime/device.
adapter_found() {
  deno eval --no-config --no-lock '
    if (Deno.build.os === "linux") {
      for (const [name, value] of [["DENO_WEBGPU_BACKEND", "vulkan"], ["XDG_RUNTIME_DIR", "/tmp"]]) {
        if (Deno.env.get(name) === undefined) Deno.env.set(name, value);
      }
    }
    Deno.exit(await navigator.gpu?.requestAdapter() ? 0 : 1);
  ' >/dev/null 2>&1
}

install_driver() {
  if [ -n "${DENO_WEBGPU_BACKEND:-}" ] && [ "$DENO_WEBGPU_BACKEND" != vulkan ]; then
    fail "no WebGPU adapter found with DENO_WEBGPU_BACKEND=$DENO_WEBGPU_BACKEND. Unset it and run this again"
  fi
  have apt-get || fail "no WebGPU adapter found, and apt-get was not found. Install a Vulkan driver for the GPU, or Mesa's software driver (lavapipe)"
  if [ -e /dev/nvidia0 ]; then
    say "found an NVIDIA GPU but no Vulkan driver for it (a part of NVIDIA's driver); the software driver uses the CPU instead"
  fi
  can_be_root || fail "no WebGPU adapter found. Run as root: apt-get update && apt-get install mesa-vulkan-drivers"
  say "no WebGPU adapter found; installing Debian's mesa-vulkan-drivers"
  set -- env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends mesa-vulkan-drivers
  as_root "$@" >/dev/null 2>&1 || { as_root apt-get update -qq >&2 && as_root "$@" >&2; } ||
    fail "apt-get could not install mesa-vulkan-drivers"
  adapter_found || fail "mesa-vulkan-drivers is installed, but no WebGPU adapter was found"
}

install_cluster() {
  missing=
  have slurmctld && have slurmd && have sbatch || missing=" slurm-wlm"
  have munged || missing="$missing munge"
  have mpirun.openmpi || missing="$missing openmpi-bin"
  have mpirun.mpich || missing="$missing mpich"
  [ -n "$missing" ] || return 0
  have apt-get || fail "apt-get was not found. Install these packages:$missing"
  can_be_root || fail "not root, and sudo was not found. Run as root: apt-get update && apt-get install$missing"
  say "installing$missing"
  # shellcheck disable=SC2086 # a list of packages
  set -- env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing
  as_root "$@" >/dev/null 2>&1 || { as_root apt-get update -qq >&2 && as_root "$@" >&2; } ||
    fail "apt-get could not install$missing"
}

cluster=no
for argument in "$@"; do
  case $argument in
  --cluster) cluster=yes ;;
  *) fail "unknown argument $argument; expected --cluster or nothing" ;;
  esac
done

export DENO_NO_UPDATE_CHECK=1
deno_fits || install_deno
adapter_found || install_driver
[ "$cluster" = no ] || install_cluster
