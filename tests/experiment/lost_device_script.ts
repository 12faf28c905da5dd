/**
 * Runs a scenario whose device is lost at submit number LOST_AT, an environment variable.
 */
import { crossEntropy, linear, run, scenario, sequential, sgd, tensors } from "../../mod.ts";
import { Device } from "../../runtime/device/device.ts";

const lostAt = Number(Deno.env.get("LOST_AT"));
const submit = Device.prototype.submit;
let submits = 0;
Device.prototype.submit = function (encoder) {
  if (++submits === lostAt) this.gpu.destroy();
  submit.call(this, encoder);
};

scenario({
  name: "lost",
  model: sequential({ fc: linear(3) }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: tensors({
    input: { shape: [5], data: new Float32Array(5 * 64) },
    target: { data: new Int32Array(64) },
    classes: 3,
  }),
  loader: { batchSize: 4 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 3 },
  variants: { baseline: {}, workers: { loader: { numWorkers: 1 } }, sink: { sink: 2 } },
});

await run();
