import { main } from "../../runtime/cli/main.ts";
import { scenario } from "../../runtime/scenario/definition.ts";
import rehearsed, { rehearsal } from "./rehearsal_script.ts";
import { inTurn } from "./tacho_here.ts";
import type { Ended } from "./tacho_process.ts";

/**
 * Runs `rehearsal_script.ts` in a folder, in the process of the test, which is the script of its result.
 *
 * @param happening the outcome, as in `TACHO_REHEARSAL`
 */
export function rehearseIn(folder: string, store: string, args: readonly string[], happening = ""): Promise<Ended> {
  return inTurn(folder, store, async () => {
    scenario(rehearsed);
    Deno.env.set("TACHO_REHEARSAL", happening);
    try {
      return await main(args, () => Promise.resolve(rehearsal));
    } finally {
      Deno.env.delete("TACHO_REHEARSAL");
    }
  });
}
