/**
 * Runs a scenario whose device is lost at submit number LOST_AT, an environment variable.
 */
import { run, scenario } from "../../mod.ts";
import { Device } from "../../runtime/device/device.ts";
import { tiny } from "./running.ts";

const lostAt = Number(Deno.env.get("LOST_AT"));
const submit = Device.prototype.submit;
let submits = 0;
Device.prototype.submit = function (encoder) {
  if (++submits === lostAt) this.gpu.destroy();
  submit.call(this, encoder);
};

scenario(
  tiny({
    measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 3 },
    variants: { baseline: {}, workers: { loader: { numWorkers: 1 } }, sink: { sink: 2 } },
  }) as Parameters<typeof scenario>[0],
);

await run();
