/** Runs steps until SIGINT or SIGTERM, then says which and ends with status 7. Prints its process ID after some steps. */
import { openDevice, runPlanted } from "../../library/attach/planted.ts";

let steps = 0;
let signal: Deno.Signal | null = null;
for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => signal = name);
await runPlanted(await openDevice(), {
  steps: Infinity,
  ended: () => {
    if (++steps === 8) console.log(`running as ${Deno.pid} now`);
    if (signal === null) return;
    console.log(`ended by ${signal}`);
    Deno.exit(7);
  },
});
