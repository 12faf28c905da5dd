import { readResult, type Result } from "../../runtime/result/schema.ts";

/** Result of the run in the README's pictures, without its profile. */
export const PICTURED = new URL("../fixtures/results/resnet.json.gz", import.meta.url);

/** Reads the result of the run in the README's pictures, which `deno task pictures` keeps. */
export async function picturedResult(): Promise<Result> {
  const file = await Deno.open(PICTURED);
  return readResult(await new Response(file.readable.pipeThrough(new DecompressionStream("gzip"))).json());
}
