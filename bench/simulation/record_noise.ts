/**
 * Records the noise of this machine: blocks of identical copies of one scenario that take turns like variants.
 * `deno task bench:simulate` fits its simulated machines to these recordings.
 *
 *     deno task bench:simulate noise mlp                        # bench/noise/mlp.json
 *     deno task bench:simulate noise resnet resnet-quiet 24     # another name, and the number of rounds
 *     deno task bench:simulate noise demo                       # the settings of scripts/resnet.ts on a software adapter
 *
 * @module
 */
import { cpus, loadavg } from "node:os";
import first from "../../examples/01_first_scenario.ts";
import lenet from "../../scripts/lenet.ts";
import mlp from "../../scripts/mlp.ts";
import resnet from "../../scripts/resnet.ts";
import standin from "../../scripts/standin.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { compileVariant, loaderLayout } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import { prepareDataset } from "../../runtime/data/sources/sources.ts";
import { Device } from "../../runtime/device/device.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { SOFTWARE } from "../../runtime/scenario/adapters.ts";
import { type ResolvedScenario, resolveScenario } from "../../runtime/scenario/resolve.ts";
import { Session } from "../../runtime/trainer/session.ts";
import { FIRST_MINUTE, type Recording, RECORDINGS } from "./recording.ts";

const COPIES = 4;
const WARM_UP = 3;

/** Resolved scenarios with their steps per block: `demo` and `first` as their scripts run on a software adapter. */
const SCENARIOS = {
  mlp: () => ({ resolved: resolveScenario(mlp), steps: 10 }),
  lenet: () => ({ resolved: resolveScenario(lenet), steps: 20 }),
  resnet: () => ({ resolved: resolveScenario(standin), steps: 3 }), // ResNet-20
  demo: () => asWritten(resolveScenario(resnet, { adapters: [SOFTWARE] })),
  first: () => asWritten(resolveScenario(first)),
};

/** @param args scenario, name of the file, number of rounds */
export async function recordNoise(args: readonly string[]): Promise<void> {
  const [name = "mlp", file = name, rounds = "24"] = args;
  const { resolved, steps } = (SCENARIOS[name as keyof typeof SCENARIOS] ?? fail(name))();
  const { config } = resolved.variants[0]!;
  await prepareDataset(config.data, { signal: new AbortController().signal, onProgress: () => {} });

  const device = await Device.open();
  const slots = new SlotPool(device);
  const dataset = describeDataset(config.data);
  const compiled = compileVariant(config, dataset, device.traits);
  slots.reserve(compiled.plan.slots);
  const copies = [];
  for (let copy = 0; copy < COPIES; copy++) {
    const loader = await createLoader(config.data, {
      ...config.loader,
      seed: config.seed,
      split: "train",
      layout: loaderLayout(dataset, config),
    });
    const session = await Session.create(device, slots, compiled, { seed: config.seed, label: `copy ${copy}` });
    const { feed, timestamps } = session.feed(loader, {
      monitor: "block",
      timestamps: true,
      recorder: null,
      shouldStop: () => false,
    });
    await feed.run(WARM_UP);
    await timestamps?.read();
    copies.push({ loader, session, feed, timestamps });
  }

  const load = loadavg()[0]!;
  const random = new RandomStream(1);
  const order: number[][] = [];
  const walls: number[][] = [];
  for (let round = 0; round < Number(rounds); round++) {
    const ran = [...random.permutation(COPIES)];
    order.push(ran);
    walls.push([]);
    for (const copy of ran) {
      const { wall } = await copies[copy]!.feed.run(steps);
      await copies[copy]!.timestamps?.read();
      await device.settle();
      walls.at(-1)!.push(Number(wall.toFixed(3)));
    }
    console.log(`round ${round + 1}: ${walls.at(-1)!.map((wall) => wall.toFixed(0)).join(" ")} ms`);
  }
  const recording: Recording = {
    scenario: name,
    adapter: device.info.name,
    cpu: cpus()[0]?.model ?? null,
    cores: navigator.hardwareConcurrency,
    load: [load, loadavg()[0]!],
    steps,
    samples: steps * config.loader.batchSize,
    order,
    walls,
  };
  const target = new URL(`${file}.json`, ["demo", "first"].includes(name) ? FIRST_MINUTE : RECORDINGS);
  Deno.writeTextFileSync(target, JSON.stringify(recording));
  console.log(`written: ${target.pathname}`);
  for (const { loader, session } of copies) {
    await loader.close();
    session.free();
  }
  slots.free();
  device.destroy();
}

function asWritten(resolved: ResolvedScenario) {
  return { resolved, steps: resolved.measure.steps };
}

function fail(unknown: string): never {
  console.error(`Unknown scenario "${unknown}": choose one of ${Object.keys(SCENARIOS).join(", ")}`);
  Deno.exit(2);
}
