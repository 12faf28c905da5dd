/**
 * Hashes of what a script imports from the network, in the form of Deno's lock file.
 *
 * @module
 */
import { z } from "zod";
import type { ModuleSource } from "../../store/module_source.ts";

const packageSchema = z.looseObject({ integrity: z.string(), tarball: z.string().optional() });

/** The parts of Deno's lock file that pin packages and remote modules. */
export const pinnedSchema = z.object({
  /** Versions of packages by specifier: `npm:zod@4.6.7`. */
  specifiers: z.record(z.string(), z.string()).default({}),
  jsr: z.record(z.string(), packageSchema).default({}),
  npm: z.record(z.string(), packageSchema).default({}),
  redirects: z.record(z.string(), z.string()).default({}),
  /** SHA-256 of remote modules by URL. */
  remote: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)).default({}),
});

export type Pinned = z.infer<typeof pinnedSchema>;

/** Reads the pins of a lock file of Deno. */
export function pinnedIn(lock: string): Pinned {
  return pinnedSchema.parse(JSON.parse(lock));
}

/** Returns the text of a lock file that also pins `own`; an entry of the lock file replaces one of `own`. */
export function pinAlso(lock: string, own: Pinned | null): string {
  if (own === null) return lock;
  const content: unknown = JSON.parse(lock);
  const merged = Object.entries(pinnedSchema.parse(content)).map((
    [part, entries],
  ) => [part, { ...own[part as keyof Pinned], ...entries }]);
  return JSON.stringify({ version: "5", ...content as object, ...Object.fromEntries(merged) });
}

/** Returns true if the target of an import is pinned: a package, or a remote module by its hash. */
export function isPinned(target: string, { specifiers, redirects, remote }: Pinned): boolean {
  const address = Object.hasOwn(redirects, target) ? redirects[target]! : target;
  return Object.hasOwn(/^https?:/.test(address) ? remote : specifiers, packageOf(address));
}

/** Returns the specifier of a package without the path of a module in it; returns other addresses unchanged. */
export function packageOf(address: string): string {
  return address.match(/^(?:npm|jsr):(?:@[^/]+\/)?[^/]+/)?.[0] ?? address;
}

/** Returns the targets of imports that are not files: on the network, or in the address itself. */
export function remoteTargets(modules: readonly Pick<ModuleSource, "imports">[]): string[] {
  return modules.flatMap(({ imports }) => Object.values(imports))
    .filter((target) => !/^(?:\.\/|(?:tacho|node|file):)/.test(target));
}

/** Returns the addresses that Deno takes from pins: remote modules, where they redirect to, and archives of packages. */
export function addressesIn({ npm, redirects, remote }: Pinned): string[] {
  const archives = Object.values(npm).map(({ tarball }) => tarball).filter((url) => url !== undefined);
  return [...new Set([...Object.keys(remote), ...Object.entries(redirects).flat(), ...archives])];
}
