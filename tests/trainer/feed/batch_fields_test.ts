import assert from "node:assert/strict";
import { add, flatten, layer, linear, sequential } from "../../../mod.ts";
import { augment } from "../../../ops/augment.ts";
import { compileEvaluation, compileInference, compileTraining } from "../../../runtime/compile/compile.ts";
import { InputError } from "../../../runtime/core/errors.ts";
import type { Batch } from "../../../runtime/data/loader/loader.ts";
import type { BatchTensors } from "../../../runtime/data/shared.ts";
import { Device } from "../../../runtime/device/device.ts";
import { SlotPool } from "../../../runtime/engine/slot_pool.ts";
import { type BatchSource, RESIDENT_BATCHES } from "../../../runtime/trainer/feed/feed.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { Session } from "../../../runtime/trainer/session.ts";
import { optionsOf } from "../../compile/programs.ts";
import { labels, normals } from "../../support/reference/random.ts";
import { bits } from "../models.ts";

const [N, SIDE, STEPS] = [3, 2, 6];
const PIXELS = SIDE * SIDE;
/** Words per sample of the field `bytes`: its four bytes, then the crop that the device reads. */
const WORDS = 8;
const TABLE = Float32Array.from({ length: 256 }, (_, byte) => byte / 64 - 1);

const head = sequential({ flatten: flatten(), fc: linear(4) });

/** Adds an image that arrives as the u32 field `bytes` to the f32 field `input`. */
const twoFields = layer((x) => {
  const words = x.graph.input("bytes", rowMajor([N, WORDS], "u32"));
  const size = { height: SIDE, width: SIDE, sourceHeight: SIDE, sourceWidth: SIDE };
  const image = augment(words, { words: WORDS, channels: 1, order: "chw", ...size, table: [...TABLE] });
  return head(add(x, image));
});

/** A batch of both fields, and its sum as a batch of one. */
function batches(step: number): { two: BatchTensors; one: BatchTensors } {
  const input = normals(N * PIXELS, 10 + step);
  const target = labels(N, 4, 20 + step);
  const bytes = new Uint32Array(N * WORDS);
  const summed = input.slice();
  for (let n = 0; n < N; n++) {
    const pixels = [1, 2, 3, 4].map((i) => (37 * i + 11 * n + 5 * step) % 256);
    bytes.set([new Uint32Array(Uint8Array.from(pixels).buffer)[0]!, 0, 0, 1, 0, SIDE, 0, SIDE], n * WORDS);
    pixels.forEach((byte, i) => summed[n * PIXELS + i]! += TABLE[byte]!);
  }
  return { two: { input, bytes, unread: new Float32Array(1), target }, one: { input: summed, target } };
}

function sourceOf(tensorsOf: (step: number) => BatchTensors): BatchSource {
  const nothing = RESIDENT_BATCHES.next();
  let index = 0;
  return {
    next: async (): Promise<Batch> => ({ ...await nothing, index, size: N, tensors: tensorsOf(index++) }),
    queueDepth: () => 0,
  };
}

async function withSession<T>(
  model: typeof twoFields,
  sink: number,
  body: (session: Session) => Promise<T>,
): Promise<T> {
  const device = await Device.open();
  try {
    const options = optionsOf(model, [N, 1, SIDE, SIDE], { traits: device.traits });
    const plan = compileTraining(options);
    const slots = new SlotPool(device);
    slots.reserve(plan.slots);
    const memory = { peak: 0, parameters: 0, gradients: 0, optimizer: 0, activations: 0, workspace: 0, feed: 0 };
    const others = { inference: () => compileInference(options), evaluation: () => compileEvaluation(options) };
    const numbers = { parameterCount: 20, lossScale: 1, weights: null, sink, memory };
    const compiled = { plan, ...others, ...numbers, evaluatesAverages: false };
    const session = await Session.create(device, slots, compiled, { seed: 1, label: "test" });
    const result = await body(session);
    device.check();
    session.free();
    slots.free();
    assert.equal(device.bytes, 0, "every field's buffer is freed");
    return result;
  } finally {
    device.destroy();
  }
}

function fedLosses(
  model: typeof twoFields,
  sink: number,
  tensorsOf: (step: number) => BatchTensors,
): Promise<number[]> {
  return withSession(model, sink, async (session) => {
    const options = { monitor: "block", timestamps: false, recorder: null, shouldStop: () => false } as const;
    const { feed } = session.feed(sourceOf(tensorsOf), options);
    const { outcomes } = await feed.run(STEPS);
    feed.free();
    return bits(outcomes.map(({ loss }) => loss));
  });
}

Deno.test("a plan reads fields of several dtypes, and every feed uploads all of them", async () => {
  const wanted = await fedLosses(head, 0, (step) => batches(step).one);
  assert.equal(new Set(wanted).size, STEPS);
  for (const sink of [0, 1, 3]) {
    assert.deepEqual(await fedLosses(twoFields, sink, (step) => batches(step).two), wanted, `sink ${sink}`);
  }
});

Deno.test("the inference plan reads the model's fields and shares their buffers", async () => {
  await withSession(twoFields, 0, async (session) => {
    const { target: _, ...fields } = batches(0).two;
    session.batch.write(batches(0).two);
    const { executor, batch } = await session.inference();
    assert.deepEqual(Object.keys(executor.plan.inputs), ["input", "bytes"]);
    assert.equal(batch.field("bytes"), session.batch.field("bytes"));
    batch.write(fields);
  });
});

Deno.test("a batch without a field that the model reads is rejected", async () => {
  await withSession(twoFields, 0, (session) => {
    const message = /reads the field "bytes", which the data does not have; its fields are input, target/;
    assert.throws(() => session.upload(batches(0).one), (error) => {
      return error instanceof InputError && message.test(error.message);
    });
    return Promise.resolve();
  });
});
