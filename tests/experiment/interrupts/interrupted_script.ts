/**
 * A script that handles interrupts like a run: it blocks the main thread, as a wait for the device does, and checks the
 * flag in between. Arguments: `polite` stops at the flag, `stubborn` does not, `closed` no longer listens, `orphan`
 * stops at the flag and has no parent. It also ends after a time limit, so that it does not outlive an aborted test.
 */
import { watchInterrupts } from "../../../runtime/experiment/interrupts/interrupts.ts";

const [mode] = Deno.args;
const interrupts = await watchInterrupts(mode === "orphan" ? -1 : Deno.ppid);
if (mode === "closed") interrupts.close();
console.log("running");
const started = performance.now();
while (performance.now() - started < 300_000) {
  if ((mode === "polite" || mode === "orphan") && interrupts.interrupted()) break;
}
interrupts.close();
console.log("stopped");
Deno.exitCode = interrupts.interrupted() ? 130 : 0;
