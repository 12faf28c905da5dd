/**
 * Holds the run of a script that imports this module, so that a signal arrives at a known point: before the block that
 * `HOLD_AT` names by its round and position. It prints `held`, and continues when it receives a byte; without an input it
 * is held until it is killed. `CRASH_AT` names a block at which the process ends with status 1, as by an error of Deno's
 * own.
 *
 * @module
 */
import { LocalSteps } from "../../../runtime/experiment/variant/local_steps.ts";

/** A test that has forgotten the process must not keep it for ever. */
const LONGEST_MS = 600_000;

const [place, crash] = ["HOLD_AT", "CRASH_AT"].map((name) => Deno.env.get(name));
if (place !== undefined || crash !== undefined) {
  const { block } = LocalSteps.prototype;
  LocalSteps.prototype.block = function (at, ...rest) {
    const here = `${at.round}.${at.position}`;
    if (here === crash) Deno.exit(1);
    if (here === place) {
      console.log("held");
      if (Deno.stdin.readSync(new Uint8Array(1)) === null) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONGEST_MS);
      }
    }
    return block.call(this, at, ...rest);
  };
}
