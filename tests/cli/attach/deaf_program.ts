/** Runs steps and ignores SIGINT and SIGTERM; prints its process ID after some steps, and each signal. */
import { openDevice, runPlanted } from "../../library/attach/planted.ts";

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => console.log(`ignores ${signal}`));
}
let steps = 0;
await runPlanted(await openDevice(), {
  steps: Infinity,
  ended: () => {
    if (++steps === 8) console.log(`running as ${Deno.pid} now`);
  },
});
