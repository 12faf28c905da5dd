/**
 * Runs the scripts of this folder in `python3`, and compares their results with Tacho's.
 *
 * @module
 */
import assert from "node:assert/strict";
import { join } from "node:path";

/** Compares each gradient with the norm of all of them together. */
export function assertGradients(
  got: ReadonlyMap<string, { readonly data: Float32Array }>,
  want: Readonly<Record<string, readonly number[]>>,
): void {
  const norm = Math.hypot(...Object.values(want).flat());
  const names = Object.keys(want);
  const error = Math.hypot(
    ...names.flatMap((name) => want[name]!.map((slope, i) => got.get(name)!.data[i]! - slope)),
  );
  assert.ok(error <= 1e-4 * norm, `gradients differ by ${error} of ${norm}`);
}

/** Compares numbers relative to the largest. */
export function assertNear(got: ArrayLike<number>, want: readonly number[], tolerance: number, what: string): void {
  assert.equal(got.length, want.length, what);
  const largest = Math.max(...want.map(Math.abs));
  const error = Math.max(...want.map((value, i) => Math.abs(got[i]! - value)));
  assert.ok(error <= tolerance * largest, `${what} differ by ${error} of ${largest}`);
}

/** Passes requests to a script and returns its answers, one per request. */
export async function answersTo<T>(script: string, requests: readonly unknown[], folder: string): Promise<T[]> {
  const file = join(folder, "requests.json");
  await Deno.writeTextFile(file, JSON.stringify(requests));
  const { code, stdout, stderr } = await new Deno.Command("python3", {
    args: [join(import.meta.dirname!, script), file],
    env: { PYTHONDONTWRITEBYTECODE: "1" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout)) as T[];
}

/** Returns true if `python3` has a module. */
export async function findsModule(name: string): Promise<boolean> {
  const found = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${name}") is None)`;
  try {
    return (await new Deno.Command("python3", { args: ["-c", found], stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}
