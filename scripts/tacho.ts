/**
 * Command line that runs scenarios and manages kept runs.
 *
 *     deno run -A scripts/tacho.ts --help
 *     deno install -g -A -n tacho scripts/tacho.ts   # then: tacho runs
 */
import { tacho } from "../runtime/cli/tacho.ts";

const status = await tacho(Deno.args);
if (status !== 0) Deno.exit(status);
