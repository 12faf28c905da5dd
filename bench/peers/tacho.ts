/** The workloads in Tacho, as a scenario that `tacho_train.ts` trains; it also runs alone. */
import { crossEntropy, lenet, resnet, run, scenario, sgd, tensors, z } from "../../mod.ts";
import { CLASSES, drawImages, MOMENTUM, type Workload, WORKLOADS } from "./workload.ts";

export default scenario({
  name: "peers",
  params: {
    net: z.enum(["lenet", "resnet20"]).default("lenet").describe("what is trained"),
  },
  model: ({ net }) => net === "lenet" ? lenet({ classes: CLASSES }) : resnet({ depth: 20, classes: CLASSES }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.02, momentum: MOMENTUM }),
  data: ({ net }) => data(WORKLOADS[net]!),
  loader: { shuffle: false },
});

function data(workload: Workload) {
  const { input, target } = drawImages(workload);
  return tensors({ input: { shape: workload.shape, data: input }, target: { data: target } });
}

if (import.meta.main) await run();
