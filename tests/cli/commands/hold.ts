/**
 * Holds the run of a script that imports this module, so that a signal arrives at a known point: before the block that
 * `HOLD_AT` names by its round and position. It prints `held`, and continues when it receives a byte.
 *
 * @module
 */
import { VariantRun } from "../../../runtime/experiment/variant/run.ts";

const place = Deno.env.get("HOLD_AT");
if (place !== undefined) {
  const { block } = VariantRun.prototype;
  VariantRun.prototype.block = function (at, ...rest) {
    if (`${at.round}.${at.position}` === place) {
      console.log("held");
      Deno.stdin.readSync(new Uint8Array(1));
    }
    return block.call(this, at, ...rest);
  };
}
