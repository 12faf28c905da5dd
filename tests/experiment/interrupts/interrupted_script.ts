/**
 * A script that handles interrupts like a run: it blocks the main thread, as a wait for the device does, and checks the
 * flag in between. Arguments: `polite` stops at the flag, `stubborn` does not, `slow` stops long after it, `blocked` never
 * checks it, `rounds` stops at the flag and ends rounds, `closed` no longer listens, `orphan` stops at the flag and has no parent. It also ends after a time limit, so
 * that it does not outlive an aborted test.
 */
import { watchInterrupts } from "../../../runtime/experiment/interrupts/interrupts.ts";

/** Time of grace of `slow` and `blocked`, in ms. */
const GRACE = 1000;

/** Time of a round of `rounds`, in ms. */
const ROUND = 500;

const [mode = ""] = Deno.args;
const interrupts = await watchInterrupts({
  parent: mode === "orphan" ? -1 : Deno.ppid,
  ...["slow", "blocked"].includes(mode) ? { grace: GRACE, kept: "2 rounds are kept" } : {},
});
if (mode === "closed") interrupts.close();
console.log(`running as ${Deno.pid} `);
const started = performance.now();
let rounds = 0;
let seen: number | null = null;
while (performance.now() - started < 300_000) {
  if (mode === "rounds" && performance.now() - started > ROUND * (rounds + 1)) {
    console.log(`round ${++rounds} ended`);
    interrupts.roundEnded();
  }
  if (mode === "blocked" || !interrupts.interrupted()) continue;
  seen ??= performance.now();
  if (["polite", "rounds", "orphan"].includes(mode)) break;
  if (mode === "slow" && performance.now() - seen > 2 * GRACE) break;
}
interrupts.close();
console.log("stopped");
Deno.exitCode = interrupts.interrupted() ? 130 : 0;
