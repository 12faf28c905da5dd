/**
 * One process of Tacho: the scenario of a net, from the shared weights, with the feed that a matrix uses.
 *
 *     deno run -A bench/peers/tacho_train.ts lenet --skip 4 --steps 20
 */
import { compileVariant, loaderLayout } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import { writeSafetensors } from "../../runtime/data/safetensors/write.ts";
import { Device } from "../../runtime/device/device.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { Session } from "../../runtime/trainer/session.ts";
import { isTransformer, type Net, NETS } from "./nets.ts";
import { report, timeBlock } from "./steps.ts";
import images from "./tacho.ts";
import transformers from "./tacho_transformer.ts";
import { drawParameters, type Parameter } from "./weights.ts";
import { readSteps } from "./workload.ts";

const net = NETS[Deno.args[0] ?? ""];
if (net === undefined) throw new Error(`Expected one of ${Object.keys(NETS).join(", ")}, got "${Deno.args[0]}"`);
const { steps, skip } = readSteps(Deno.args);
const device = await Device.open();
const slots = new SlotPool(device);
const { session, feed } = await prepare(net);
const run = async (count: number) => (await feed.run(count)).outcomes.map(({ loss }) => loss);
const first: number[] = [];
for (let i = 0; i < skip; i++) first.push(...await run(1));
const { block, ...times } = await timeBlock(steps, () => run(steps));
device.check();
session.free();
report({ losses: [...first, ...block], ...times });

/** Creates the session and the feed of a net. */
async function prepare(net: Net) {
  const weights = await Deno.makeTempFile({ suffix: ".safetensors" });
  try {
    await writeWeights(net, weights);
    const overrides = [
      ...[`net=${net.name}`, `weights=${weights}`],
      ...[`loader.batchSize=${net.batch}`, `optimizer.learningRate=${net.learningRate}`],
    ];
    const { config } = isTransformer(net)
      ? resolveScenario(transformers, { overrides }).variants[0]!
      : resolveScenario(images, { overrides }).variants[0]!;
    const dataset = describeDataset(config.data);
    const compiled = compileVariant(config, dataset, device.traits);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: config.seed, label: net.name });
    const loader = await createLoader(config.data, {
      ...config.loader,
      seed: config.seed,
      split: "train",
      layout: loaderLayout(dataset, config),
    });
    const options = { monitor: "block", timestamps: false, recorder: null, shouldStop: () => false } as const;
    return { session, ...session.feed(loader, options) };
  } finally {
    await Deno.remove(weights);
  }
}

/** Writes the shared weights as a safetensors file, by Tacho's names of the parameters, with running statistics. */
async function writeWeights(net: Net, file: string): Promise<void> {
  const tensors = new Map<string, Parameter>();
  for (const [name, tensor] of drawParameters(net)) {
    const own = name === "positions"
      ? "positions.weight"
      : name.replace(/project\.(\w+)$/, "attention.in_proj_$1").replace(/join\.(\w+)$/, "attention.out_proj.$1");
    tensors.set(own, tensor);
    const { shape, data } = tensor;
    if (isTransformer(net) || shape.length !== 1 || !name.endsWith(".weight")) continue;
    tensors.set(name.replace("weight", "running_mean"), { shape, data: new Float32Array(data.length) });
    tensors.set(name.replace("weight", "running_var"), { shape, data: new Float32Array(data.length).fill(1) });
  }
  await writeSafetensors(file, tensors);
}
