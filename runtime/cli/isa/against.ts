import { basename } from "node:path";
import { InputError } from "../../core/errors.ts";
import { isFile, readText } from "../../core/files.ts";
import { parseJson } from "../../core/strangers_json.ts";
import { changesOf, isEstimate, type KernelChange } from "../../isa/differences.ts";
import { estimateKernels } from "../../isa/estimate.ts";
import type { Gpu } from "../../isa/gpus.ts";
import type { IsaEstimate } from "../../isa/types.ts";
import { Checkouts } from "../commits/checkouts.ts";
import { readTarget, type Target } from "./sources.ts";

/**
 * Compares an estimate with an earlier one: the JSON of `--json`, another WGSL file, or the same target at a commit.
 *
 * @throws {InputError} if the file is no estimate, or there is no such commit
 */
export async function compareAgainst(
  estimate: IsaEstimate,
  against: string,
  target: Target,
  gpus: readonly Gpu[],
): Promise<KernelChange[]> {
  return changesOf((await earlier(against, target, gpus)).rows, estimate.rows);
}

async function earlier(against: string, target: Target, gpus: readonly Gpu[]): Promise<IsaEstimate> {
  if (against.endsWith(".wgsl")) {
    const { kernels } = await readTarget({ ...target, file: against, words: [] }, here());
    return await estimateKernels(kernels.map((kernel) => ({ ...kernel, name: basename(target.file) })), { gpus });
  }
  if (isFile(against)) {
    const value = parsed(against);
    if (isEstimate(value)) return value;
    throw new InputError(`--against ${against}: is no estimate; expected a file that tacho isa --json has written`);
  }
  await using checkouts = await Checkouts.open(Deno.cwd());
  const version = await checkouts.add(against);
  return await estimateKernels((await readTarget(target, version)).kernels, { gpus });
}

function parsed(file: string): unknown {
  try {
    return parseJson(readText(file));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new InputError(`--against ${file}: is no JSON (${cause.message})`, { cause });
  }
}

/** The current folder as a version. */
export function here() {
  return { name: ".", description: "working tree", cwd: Deno.cwd(), flags: [] };
}
