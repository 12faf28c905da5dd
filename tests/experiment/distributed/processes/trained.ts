/** Scenario that the tests measure in fresh processes. `FAULT` chooses a fault that only appears there. */
import { crossEntropy, linear, run, scenario, sequential, sgd, tensors, transforms } from "../../../../mod.ts";

const fault = Deno.env.get("FAULT");
const data = Float32Array.from({ length: 5 * 48 }, (_, i) => Math.sin(i * 0.7));
const noise = fault === "random" ? performance.now() : 0;
let samples = 0;

export default scenario({
  name: fault === "renamed" ? `trained-${Deno.pid}` : "trained",
  model: sequential({ fc: linear(3) }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: tensors({
    input: { shape: [5], data },
    target: { data: Int32Array.from({ length: 48 }, (_, i) => i % 3) },
    test: { input: { shape: [5], data }, target: { data: Int32Array.from({ length: 48 }, (_, i) => i % 3) } },
    classes: 3,
    transforms: [
      transforms.map(({ data }) => {
        if (fault === "dies" && ++samples === 10) Deno.kill(Deno.pid, "SIGKILL");
        return Float32Array.from(data, (value) => value + noise);
      }),
    ],
  }),
  loader: { batchSize: 4 },
  measure: { steps: 2, skip: 2, maxSkip: 2, rounds: 4, processes: 2 },
  variants: { baseline: {}, sink: { sink: 2 }, workers: { loader: { numWorkers: 1 } } },
});

await run(); // does nothing where the script is only imported
