import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ENVIRONMENT_VARIABLES } from "../../../core/environment_variables.ts";
import { InputError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import { cacheFolder } from "../../../data/standin/cache.ts";
import { relevantVariables } from "../../../experiment/environment.ts";
import { wrap } from "../../../report/wrap.ts";
import { TACHO_ROOT, tachoFiles } from "../../../store/tacho_files.ts";
import { HANDOFF_VARIABLE } from "../../../library/handoff.ts";
import { PARENT_VARIABLE } from "../../script_process.ts";
import { SANDBOX_VARIABLE } from "../../../library/missing_permission.ts";
import { PROSE_WIDTH } from "../../terminal.ts";

/** Files and folders that a sandboxed process may read. */
export interface ReadGrant {
  readonly what: string;
  readonly paths: readonly string[];
}

/** Permissions of a sandboxed process. It has no others. */
export interface Grants {
  readonly read: readonly ReadGrant[];
  /** Environment variables; all others look unset. */
  readonly env: readonly string[];
  /** Names of Deno's system information. */
  readonly sys: readonly string[];
  /** Hosts of imports, which are pinned by their hashes and in Deno's cache. */
  readonly hosts: readonly string[];
}

/** System information that describes the machine in a result, and its load. */
const SYSTEM_INFORMATION = ["osRelease", "cpus", "systemMemoryInfo", "loadavg"];

/** Variables besides the documented ones: the terminal's, those that wgpu needs, and those of the parent process. */
const OTHER_VARIABLES = ["TERM", "XDG_RUNTIME_DIR", HANDOFF_VARIABLE, PARENT_VARIABLE, SANDBOX_VARIABLE];

export interface GrantOptions {
  /** Files and folders of the copy of the script. */
  readonly copy: readonly string[];
  /** Folder of downloaded npm packages. */
  readonly packages: string;
  /** Files and folders of data that the user has named. */
  readonly data: readonly string[];
  /** Hosts of imports that are pinned by their hashes. */
  readonly hosts: readonly string[];
}

/**
 * Returns the permissions of a sandboxed script.
 *
 * @throws {InputError} if Tacho is not on this machine's disk
 */
export function grantsOf({ copy, packages, data, hosts }: GrantOptions): Grants {
  if (!TACHO_ROOT.startsWith("file:")) {
    throw new InputError(
      `The sandbox needs Tacho in a local folder, and this one runs from ${TACHO_ROOT}; use --trust`,
    );
  }
  return {
    read: [
      {
        what: "Tacho",
        paths: tachoFiles().map((url) => fileURLToPath(url).replace(/[/\\]$/, "")),
      },
      { what: "npm packages", paths: [packages] },
      { what: "a copy of the script and its imports", paths: copy },
      { what: "generated data and kernel times", paths: [resolve(cacheFolder())] },
      ...data.length === 0 ? [] : [{ what: "data", paths: data }],
    ],
    env: [
      ...new Set([
        ...ENVIRONMENT_VARIABLES.map(({ name }) => name),
        ...Object.keys(relevantVariables(Deno.env.toObject())),
        ...OTHER_VARIABLES,
      ]),
    ].sort(),
    sys: SYSTEM_INFORMATION,
    hosts,
  };
}

/** Returns the flags with which Deno grants these permissions and no others, and loads nothing from the network. */
export function permissionFlags({ read, env, sys, hosts }: Grants): string[] {
  const list = (values: readonly string[]) => values.map((value) => value.replaceAll(",", ",,")).join(",");
  return [
    "--no-prompt",
    "--cached-only",
    `--allow-read=${list(read.flatMap(({ paths }) => paths))}`,
    `--allow-env=${list(env)}`,
    "--ignore-env",
    `--allow-sys=${list(sys)}`,
    hosts.length === 0 ? "--deny-import" : `--allow-import=${list(hosts)}`,
  ];
}

/**
 * Renders the permissions for the user, before anything runs.
 *
 * @param lift words that say what lifts the sandbox
 */
export function grantText(where: string, { read, env, sys, hosts }: Grants, lift = "--trust lifts it"): string {
  const files = read.map(({ what, paths }) => what === "data" ? `data in ${paths.join(", ")}` : what);
  const rows: (readonly [string, string])[] = [
    ["read", files.join("; ")],
    ["variables", env.filter((name) => Deno.env.get(name) !== undefined).join(", ") || "none is set"],
    ["system", sys.join(", ")],
    ...hosts.length === 0 ? [] : [["imports", `${hosts.join(", ")}, checked by hash and downloaded before`] as const],
    ["never", "network, other processes, writing, native libraries, other files and variables"],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 4;
  const lines = rows.flatMap(([name, text]) => wrap(`  ${name}`.padEnd(width) + printable(text), PROSE_WIDTH, width));
  return [`${where}: runs in a sandbox (${lift}). Its script may use:`, ...lines].join("\n");
}

/** Renders the permissions of a run without a sandbox. */
export function trustText(where: string): string {
  return `${where}: its script runs with all permissions, like any program that you start (--sandbox restricts it)`;
}
