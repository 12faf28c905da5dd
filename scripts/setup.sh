#!/bin/sh
# Gets this machine ready: Deno from npm if it is missing or too old, and Debian's software Vulkan driver if there is no
# WebGPU adapter at all. Says nothing when there is nothing to do.
#
#     sh scripts/setup.sh
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
  have npm || fail "Deno $DENO_VERSION or newer is needed, and there is no npm to install it with. Install Node.js with npm, or Deno itself (https://docs.deno.com/runtime/getting_started/installation/)"
  prefix=$(npm prefix --global 2>/dev/null) || fail "npm does not say where it installs: npm prefix --global failed"
  say "installing Deno $DENO_VERSION with npm into $prefix"
  target=$prefix/lib/node_modules
  while [ ! -e "$target" ]; do target=$(dirname "$target"); done
  set -- npm install --global --no-fund --no-audit --loglevel=error "deno@$DENO_VERSION"
  if [ -w "$target" ]; then
    "$@" >&2 || fail "npm could not install Deno"
  elif can_be_root; then
    as_root "$@" >&2 || fail "npm could not install Deno"
  else
    fail "npm's folder $prefix is not writable and there is no sudo. Give npm one of your own, then run this again:
  npm config set prefix \"\$HOME/.local\" && export PATH=\"\$HOME/.local/bin:\$PATH\""
  fi
  hash -r
  deno_fits && return
  if [ -x "$prefix/bin/deno" ]; then
    fail "Deno $DENO_VERSION is in $prefix/bin, but the shell finds $(command -v deno || echo none) first. Put that folder first in PATH, then run this again:
  export PATH=\"$prefix/bin:\$PATH\""
  fi
  fail "npm installed no Deno that runs"
}

# Whether Tacho would find an adapter. It asks for Vulkan on Linux, as runtime/device does.
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
    fail "there is no WebGPU adapter with DENO_WEBGPU_BACKEND=$DENO_WEBGPU_BACKEND. Unset it and run this again"
  fi
  have apt-get || fail "there is no WebGPU adapter, and this is no Debian. Install a Vulkan driver for the GPU, or Mesa's software one (lavapipe)"
  if [ -e /dev/nvidia0 ]; then
    say "there is an NVIDIA GPU but no Vulkan driver for it (its package is part of NVIDIA's driver); until then the CPU stands in"
  fi
  can_be_root || fail "there is no WebGPU adapter. Run as root: apt-get update && apt-get install mesa-vulkan-drivers"
  say "no WebGPU adapter; installing Debian's mesa-vulkan-drivers"
  set -- env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends mesa-vulkan-drivers
  as_root "$@" >/dev/null 2>&1 || { as_root apt-get update -qq >&2 && as_root "$@" >&2; } ||
    fail "apt-get could not install mesa-vulkan-drivers"
  adapter_found || fail "mesa-vulkan-drivers is installed, but there is still no WebGPU adapter"
}

export DENO_NO_UPDATE_CHECK=1
deno_fits || install_deno
adapter_found || install_driver
