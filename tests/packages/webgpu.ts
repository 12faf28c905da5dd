/** Not a literal, so that only who runs Tint downloads the 50 MB of Dawn, and its types do not replace Deno's. */
const PACKAGE = "npm:webgpu@0.6.2";

/**
 * Loads Dawn, whose WGSL compiler is Tint.
 *
 * @param options as Dawn's own: `backend=null`
 * @throws if there is no build of Dawn for this machine, or npm cannot be reached
 */
export async function createDawn(options: readonly string[]): Promise<GPU> {
  const { create, globals } = await import(PACKAGE);
  Object.assign(globalThis, globals);
  return create([...options]);
}
