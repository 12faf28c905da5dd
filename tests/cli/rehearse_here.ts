import { main } from "../../runtime/cli/main.ts";
import { scenario } from "../../runtime/scenario/definition.ts";
import rehearsed, { rehearsal } from "./rehearsal_script.ts";
import { inTurn } from "./tacho_here.ts";
import type { Ended } from "./tacho_process.ts";

/**
 * Runs `rehearsal_script.ts` in a folder, in the process of the test, which is the script of its result.
 *
 * @param happening the outcome, as in `TACHO_REHEARSAL`
 * @param env environment variables besides those of the test
 */
export function rehearseIn(
  folder: string,
  store: string,
  args: readonly string[],
  happening = "",
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return inTurn(folder, store, async () => {
    scenario(rehearsed);
    return await main(args, () => Promise.resolve(rehearsal));
  }, { ...env, TACHO_REHEARSAL: happening });
}
