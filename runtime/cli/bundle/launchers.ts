import { shellWord } from "../../core/shell_word.ts";

/** Flags of Deno in a bundle: nothing is read from the network. */
const FLAGS = '-q --cached-only -A --config "$bundle/deno.json" --lock "$bundle/deno.lock"';

/**
 * Returns the shell lines that set up the environment of a bundle, for its launchers. Deno writes databases to its cache
 * folder, which may be on a network file system here: it gets a local one with links to the files of the bundle.
 */
export function environmentLines(): string {
  return `# Environment of this bundle; read by run and tacho, which set "bundle"
if [ "$(uname -sm)" != ${shellWord(systemName())} ]; then
  echo "This bundle is for ${systemName()}, and this machine is $(uname -sm)" >&2
  exit 3
fi
key=$(printf %s "$bundle" | cksum | cut -d ' ' -f 1)
DENO_DIR=\${TMPDIR:-/tmp}/tacho-bundle-$(id -u)-$key
(umask 077 && mkdir -p "$DENO_DIR") || exit 2
if [ ! -O "$DENO_DIR" ]; then
  echo "$DENO_DIR belongs to another user; set another folder with TMPDIR" >&2
  exit 2
fi
for part in npm remote gen; do
  if [ ! -e "$DENO_DIR/$part" ]; then ln -sfn "$bundle/cache/$part" "$DENO_DIR/$part"; fi
done
DENO_NO_UPDATE_CHECK=1
NPM_CONFIG_REGISTRY=https://registry.npmjs.org/
export DENO_DIR DENO_NO_UPDATE_CHECK NPM_CONFIG_REGISTRY
# The node's own Vulkan loader comes first, if it has one
if ! { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q 'libvulkan\\.so\\.1'; }; then
  LD_LIBRARY_PATH=\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$bundle/lib/vulkan
  export LD_LIBRARY_PATH
fi
`;
}

/**
 * Returns a launcher of a bundle, which runs one of its modules with the arguments of the user.
 *
 * @param module path of the module in the bundle
 * @param what the command, for its comment
 */
export function launcher(module: string, what: string): string {
  return `#!/bin/sh
# ${what}
bundle=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P) || exit 2
. "$bundle/environment.sh"
exec "$bundle/bin/deno" run ${FLAGS} "$bundle/"${shellWord(module)} "$@"
`;
}

/** Returns this system as `uname -sm` prints it. */
function systemName(): string {
  const systems: Partial<Record<typeof Deno.build.os, string>> = { linux: "Linux", darwin: "Darwin" };
  const arm = Deno.build.os === "darwin" ? "arm64" : "aarch64";
  return `${systems[Deno.build.os] ?? Deno.build.os} ${Deno.build.arch === "aarch64" ? arm : Deno.build.arch}`;
}
