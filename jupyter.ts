/**
 * Results in Deno's Jupyter notebooks. `measure()` and `bench()` need none of it: in a notebook they show their progress and
 * return results that display themselves.
 *
 * ```ts
 * import { readResult } from "@tacho/tacho";
 * import { displayed } from "@tacho/tacho/jupyter";
 *
 * const show = async (file: string) => displayed(readResult(JSON.parse(await Deno.readTextFile(file))));
 * ```
 *
 * @module
 */
export { DISPLAY } from "./runtime/library/notebook/kernel.ts";
export { displayed, type DisplayedResult } from "./runtime/library/notebook/kernel.ts";
