/** Plans of one model that share a state which inference writes: a prompt of three tokens, then one token at a time. */
import { deepEqual, equal, notEqual, ok, throws } from "node:assert/strict";
import {
  add,
  assign,
  buffer,
  cast,
  InputError,
  type Layer,
  layer,
  linear,
  matmul,
  mean,
  mul,
  oneHot,
  reshape,
  scenario,
  sequential,
  slice,
  sub,
  sum,
  type Tensor,
  transpose,
} from "../../mod.ts";
import { StepWord } from "../../ops/optimizer/step_state.ts";
import { compileInference } from "../../runtime/compile/compile.ts";
import type { Plan } from "../../runtime/compile/plan.ts";
import { bufferBytes } from "../../runtime/graph/types.ts";
import { readCheckpoint, writeCheckpoint } from "../../runtime/engine/checkpoint.ts";
import { Executor } from "../../runtime/engine/executor.ts";
import { ModelState } from "../../runtime/engine/model_state.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { optionsOf } from "../compile/programs.ts";
import { testDevice } from "../support/evaluate.ts";
import { normals } from "../support/reference/random.ts";
import { withOpenSession } from "../support/session.ts";
import { regression } from "../trainer/models.ts";
import { tempFolder } from "../support/temp_folder.ts";

const [ROOM, WIDTH] = [8, 5];

/** Keeps its inputs in a cache from the position on, moves on, and returns each input plus the sum of the cache. */
function cached(): Layer {
  const cache = buffer("cache", [ROOM, WIDTH]);
  const places = buffer("places", [ROOM], { init: Array.from({ length: ROOM }, (_, i) => i) });
  return layer((x: Tensor) => {
    const tokens = x.shape[0]!;
    const position = x.graph.position();
    const indices = add(position, cast(slice(places(x), [[0, tokens]]), "i32"));
    const rows = oneHot(indices, ROOM);
    const kept = mul(cache(x), sub(1, reshape(sum(rows, { axes: [0] }), [ROOM, 1])));
    const next = add(kept, matmul(transpose(rows, [1, 0]), x));
    assign(cache(x), next, { inference: true });
    assign(position, add(position, tokens), { inference: true });
    return add(x, sum(next, { axes: [0] }));
  });
}

function planOf(model: Layer, tokens: number): Plan {
  return compileInference(optionsOf(model, [tokens, WIDTH], { loss: null, optimizer: null }));
}

const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;

Deno.test("what an inference plan assigns is read in its next run and by other plans on the state", async () => {
  const device = await testDevice();
  const model = cached();
  const [prompt, token] = [planOf(model, 3), planOf(model, 1)];
  const state = new ModelState(device, prompt, { seed: 1, lossScale: 1, label: "shared" });
  const slots = new SlotPool(device);
  for (const { slots: sizes } of [prompt, token]) slots.reserve(sizes);
  const open = async (plan: Plan) => {
    const size = bufferBytes(plan.output);
    const [input, output] = [device.buffer("input", size, USAGE), device.buffer("output", size, USAGE)];
    const buffers = new Map([...state.buffersFor(plan), ["batch.input", input], ["output", output]]);
    const executor = await Executor.create(plan, device, buffers, slots);
    const run = async (x: Float32Array) => {
      device.write(input, 0, x);
      const encoder = device.gpu.createCommandEncoder();
      executor.encode(encoder);
      device.submit(encoder);
      return new Float32Array((await device.read([{ buffer: output, offset: 0, size: x.byteLength }]))[0]!);
    };
    const free = () => {
      executor.free();
      for (const buffer of [input, output]) device.free(buffer);
    };
    return { run, free };
  };
  const plans = [await open(prompt), await open(token)] as const;
  const position = async () => (await state.readStep())[StepWord.position];
  // Multiples of 1 / 64, whose sums are exact
  const tokens = normals(ROOM * WIDTH, 1).map((value) => Math.round(value * 64) / 64);
  const rows = (from: number, to: number) => tokens.subarray(from * WIDTH, to * WIDTH);
  const sumOf = (until: number, i: number) =>
    Array.from({ length: until }, (_, row) => tokens[row * WIDTH + i]!).reduce((a, b) => a + b, 0);
  const want = (from: number, to: number) => rows(from, to).map((value, i) => value + sumOf(to, i % WIDTH));

  for (let time = 0; time < 2; time++) {
    equal(await position(), 0);
    deepEqual(await plans[0].run(rows(0, 3)), want(0, 3));
    equal(await position(), 3);
    for (let n = 3; n < 6; n++) {
      deepEqual(await plans[1].run(rows(n, n + 1)), want(n, n + 1), `token ${n}`);
      equal(await position(), n + 1);
    }
    const { data } = (await state.read("state")).get("cache")!;
    deepEqual(data.subarray(0, 6 * WIDTH), rows(0, 6));
    ok(data.subarray(6 * WIDTH).every((value) => value === 0));
    // A draft that is discarded
    const before = state.snapshot();
    await plans[1].run(rows(0, 1));
    equal(await position(), 7);
    state.restore(before);
    deepEqual((await state.read("state")).get("cache")!.data, data);
    equal(await position(), 6);
    state.load(new Map([["cache", { shape: [ROOM, WIDTH], data: new Float32Array(ROOM * WIDTH) }]]));
    state.seek(0);
  }
  for (const plan of plans) plan.free();
  state.free();
  slots.free();
  await device.settle();
});

Deno.test("a state refuses plans whose parameters, buffers or position it does not have", async () => {
  const device = await testDevice();
  const [size, other, larger] = [buffer("size", [3]), buffer("other", [3]), buffer("size", [6])];
  const model = layer((x: Tensor) => {
    const buffers = x.shape[0] === 1 ? [other(x), size(x)] : [(x.shape[0] === 2 ? larger : size)(x)];
    return buffers.reduce((y, tensor) => add(y, mean(tensor)), x);
  });
  const state = new ModelState(device, planOf(model, 3), { seed: 1, lossScale: 1, label: "small" });
  ok(state.buffersFor(planOf(model, 4)).has("state"));
  const refuses = (plan: Plan, message: RegExp) =>
    throws(() => state.buffersFor(plan), (error) => error instanceof InputError && message.test(error.message));
  refuses(planOf(model, 1), /^model: has "other" only in some modes or for some shapes of the batch; make all/);
  refuses(planOf(model, 2), /^model: changes the type or place of "size" only in some modes/);
  const moved = planOf(layer((x: Tensor) => add(x, cast(x.graph.position(), "f32"))), 2);
  refuses(moved, /^model: reads the position only in some modes or for some shapes of the batch; read it in all$/);
  state.free();
});

Deno.test("training moves the position too, and its checkpoint has it", async () => {
  const counted = layer((x: Tensor) => {
    const position = x.graph.position();
    assign(position, add(position, 5));
    return add(x, mul(cast(position, "f32"), 0.25));
  });
  const definition = scenario(regression({ model: sequential({ fc: linear(3), counted }), variants: { one: {} } }));
  using temporary = tempFolder();
  const folder = temporary.path;
  await withOpenSession(definition, async ({ session, session: { state } }) => {
    session.upload({ input: normals(20, 1), target: normals(12, 2) });
    for (let i = 0; i < 3; i++) session.runOnce();
    const words = await state.readStep();
    deepEqual([words[StepWord.step], words[StepWord.position]], [3, 15]);
    const [first, second] = await state.outcomes(0, 2);
    notEqual(first!.loss, second!.loss);
    const file = `${folder}/position.safetensors`;
    await writeCheckpoint(file, state, "sgd", 0);
    session.runOnce();
    readCheckpoint(file, state, "sgd", 1);
    deepEqual(await state.readStep(), words);
  });
});
