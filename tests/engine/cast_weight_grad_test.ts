import assert from "node:assert/strict";
import {
  batchNorm,
  conv2d,
  crossEntropy,
  flatten,
  linear,
  relu,
  type ScenarioDefinition,
  sequential,
  sgd,
} from "../../mod.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { Device } from "../../runtime/device/device.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { Session } from "../../runtime/trainer/session.ts";
import { labels, normals } from "../support/reference/random.ts";
import { assertClose } from "../support/op_case.ts";
import { classified } from "../trainer/models.ts";

const SHAPE = [3, 7, 9];
const SAMPLES = 4;

const definition: ScenarioDefinition<Record<never, never>> = {
  name: "casts",
  model: sequential({
    conv1: conv2d(5, { kernel: 3, padding: 1 }),
    relu1: relu(),
    conv2: conv2d(8, { kernel: 3, padding: 1, bias: false }),
    bn2: batchNorm(),
    flatten: flatten(),
    fc1: linear(13),
    relu2: relu(),
    fc2: linear(4),
  }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: classified(SHAPE, 4),
  loader: { batchSize: SAMPLES },
  amp: { level: "O2", scaler: { init: 1024 } },
};

/** The nodes of a step and the gradients of the first one. */
async function planned(deviceClass: "cpu" | "gpu", fusion: boolean) {
  const { config } = resolveScenario({ ...definition, compile: { fusion } }).variants[0]!;
  const device = await Device.open();
  try {
    const compiled = compileVariant(config, describeDataset(config.data), { ...device.traits, class: deviceClass });
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: 1, label: "test" });
    device.write(session.input, 0, normals(SAMPLES * SHAPE.reduce((a, b) => a * b), 1));
    device.write(session.target, 0, labels(SAMPLES, 4, 2));
    session.runOnce();
    const gradients = await session.state.read("gradients", 1024);
    device.check();
    return { nodes: compiled.plan.nodes, gradients };
  } finally {
    device.destroy();
  }
}

Deno.test("on GPUs gradients of weights and biases are written in f32, and name the casts that they spare", async () => {
  const apart = await planned("gpu", false);
  const joined = await planned("gpu", true);
  const casts = ({ nodes }: typeof apart) => nodes.filter(({ type, phase }) => type === "cast" && phase === "backward");
  // of the weights and biases, but for the norm's, and of the loss's gradient
  assert.equal(casts(apart).length, 8);
  assert.deepEqual(
    casts(joined).map(({ id }) => id),
    casts(apart).map(({ id }) => id).filter((id) => id === "fc2.cast/cast"),
  );
  assert.equal(casts(await planned("cpu", true)).length, 8);
  const spared = joined.nodes.flatMap(({ members }) => members).filter((id) => /\.cast\/cast$/.test(id));
  assert.equal(spared.length, 7);
  assert.deepEqual([...joined.gradients.keys()], [...apart.gradients.keys()]);
  for (const [name, { data, shape }] of joined.gradients) {
    const other = apart.gradients.get(name)!;
    assert.deepEqual(shape, other.shape);
    assert.ok(data.some((value) => value !== 0), name);
    assertClose(data, other.data, 4e-3, name);
    // the norm's are f32 in any case
    const halves = Float16Array.from(data, (value) => value * 1024);
    assert.ok(data.some((value, i) => value * 1024 !== halves[i]), `${name} is rounded to f16`);
  }
});
