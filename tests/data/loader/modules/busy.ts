/**
 * Source that computes at sample 11 until a file `free` exists beside this one, and would then corrupt the batch. A file
 * `back` signals that it has returned.
 */
export const length = 40;

export function get(index: number) {
  if (index !== 11) return { input: Float32Array.of(index, index / 2), target: index };
  while (!isThere("free"));
  Deno.writeTextFileSync(new URL("back", import.meta.url), "");
  return { input: Float32Array.of(-1, -1), target: 0 };
}

function isThere(name: string): boolean {
  try {
    return Deno.statSync(new URL(name, import.meta.url)).isFile;
  } catch {
    return false;
  }
}
