/**
 * A run as far as interrupts are concerned: blocks the main thread, as a wait for the device does, and looks at the
 * flag in between. Arguments: `polite` stops at the flag, `stubborn` does not, `closed` listens no longer, `orphan`
 * stops at the flag and has no parent. It ends by itself only so that it does not outlive a test that was given up.
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
