import { basename, resolve } from "node:path";
import { InputError } from "../../core/errors.ts";
import { readText } from "../../core/files.ts";
import type { KernelSource } from "../../isa/types.ts";
import type { Overrides } from "../../isa/wgsl/prepare.ts";
import { openProject } from "../../store/script_project.ts";
import { planScript } from "../commits/plan_script.ts";
import type { Version } from "../commits/version.ts";

/** Kernels to estimate: a WGSL file, or the plan of a script. */
export interface Target {
  readonly file: string;
  /** Settings of a script. */
  readonly args: readonly string[];
  /** Variant of a script; null for its baseline. */
  readonly variant: string | null;
  readonly overrides: Overrides;
  /** Words that the names of kernels contain. */
  readonly words: readonly string[];
}

/** Kernels of a target, and the variant that gates name. */
export interface Kernels {
  readonly variant: string;
  readonly kernels: readonly KernelSource[];
}

/**
 * Reads the kernels of a target in a version, and names those apart that share a name.
 *
 * @throws {InputError} if it is neither WGSL nor a script, or no kernel has the words
 */
export async function readTarget(target: Target, version: Version): Promise<Kernels> {
  const { variant, kernels: all } = await read(target, version);
  const found = all.filter(({ name }) => target.words.every((word) => name.includes(word)));
  if (found.length === 0 && all.length > 0) {
    throw new InputError(`--kernel ${target.words.join(" ")}: none of ${all.length} kernels has this in its name`);
  }
  return { variant, kernels: found };
}

async function read({ file, args, variant, overrides }: Target, version: Version): Promise<Kernels> {
  if (file.endsWith(".wgsl")) {
    if (args.length > 0) throw new InputError(`tacho isa: expected one WGSL file, got "${args[0]}" after it`);
    const wgsl = readText(resolve(version.cwd, file));
    return { variant: "baseline", kernels: [{ name: basename(file), wgsl, dispatches: null, overrides }] };
  }
  if (!/\.[cm]?[jt]sx?$/.test(file)) {
    throw new InputError(`tacho isa: expected a WGSL file or a Tacho script, got "${file}"`);
  }
  await using project = await openProject(resolve(version.cwd, file));
  const flags = [...project.configFlags, ...project.lockFlags];
  const script = { kind: "script", file, args } as const;
  const { name, kernels } = await planScript(script, variant, { ...version, flags }, true);
  if (kernels.length === 0) throw new InputError(`tacho isa: ${file} has no model, and so no kernels`);
  const times = new Map<string, number>();
  const named = kernels.map((kernel) => {
    const time = (times.get(kernel.name) ?? 0) + 1;
    times.set(kernel.name, time);
    return time === 1 ? kernel : { ...kernel, name: `${kernel.name}#${time}` };
  });
  return { variant: name, kernels: named };
}
