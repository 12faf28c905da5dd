/** Runs steps until a signal ends it; prints its process ID after some steps. */
import { openDevice, runPlanted } from "../../library/attach/planted.ts";

let steps = 0;
await runPlanted(await openDevice(), {
  steps: Infinity,
  ended: () => {
    if (++steps === 8) console.log(`running as ${Deno.pid} now`);
  },
});
