import assert from "node:assert/strict";
import { STEP_STATE_WORDS, StepWord } from "../../ops/optimizer/step_state.ts";
import { packArena, validElements } from "../../runtime/compile/arena.ts";
import type { ArenaLayout } from "../../runtime/compile/plan.ts";
import { LOSS_RING_BYTES, optimizerStates, updateDispatches } from "../../runtime/compile/update.ts";
import { DTYPE_BYTES, type FloatType } from "../../runtime/core/dtype.ts";
import { decode, encode } from "../../runtime/core/f16.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { bind, encodePass } from "../../runtime/device/bind.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { kindOf } from "../../runtime/data/kinds.ts";
import { optimizerOf, OPTIMIZERS, optimizerSchema, type OptimizerSpec } from "../../runtime/nn/optimizers.ts";
import { adam, adamW } from "../../runtime/nn/optimizers/adam.ts";
import { testDevice } from "../support/evaluate.ts";
import { assertClose, normals, rounded } from "../support/op_case.ts";
import { settingsOf } from "./settings.ts";

/** Elements of each tensor; `still` is not trained. */
const SIZES = { a: 1, b: 5, still: 67, c: 130, d: 4501 };
const TRAINED = Object.keys(SIZES).filter((name) => name !== "still");
const STEPS = 4;
/** The step in which a gradient is not finite. */
const OVERFLOW = 1;
const LOSS_SCALE = 8;
const SCALER = { dynamic: false, growth: 2, interval: 1000, backoff: 0.5 };
const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;

/** The tensors of an arena, and what lies between them as 0. */
function filled(layout: ArenaLayout, seed: number): Float64Array {
  const values = new Float64Array(layout.bytes / DTYPE_BYTES[layout.dtype]);
  for (const { offset, type } of layout.entries) {
    values.set(normals(sizeOf(type.shape), seed + offset), offset / DTYPE_BYTES[layout.dtype]);
  }
  return rounded(values, layout.dtype);
}

/** Gradients of a step, every seventh 0. */
function gradientsOf(layout: ArenaLayout, step: number): Float64Array {
  return filled(layout, 100 + step).map((g, i) => i % 7 === 6 ? 0 : g);
}

/** Parameters and state after all steps on the device. */
async function onDevice(spec: OptimizerSpec, layout: ArenaLayout, largestBinding: number) {
  const device = await testDevice();
  const sizes: Record<string, number> = {
    parameters: layout.bytes,
    gradients: layout.bytes,
    step: STEP_STATE_WORDS * 4,
    lossRing: LOSS_RING_BYTES,
    gradientTable: validElements(layout).byteLength,
    loss: 16,
  };
  const states = optimizerStates(spec, layout);
  states.forEach((bytes, n) => sizes[`optimizer${n}`] = bytes);
  const buffers = new Map(Object.entries(sizes).map(([name, size]) => [name, device.buffer(name, size, USAGE)]));
  const write = (name: string, values: Float64Array) =>
    device.write(buffers.get(name)!, 0, new Uint8Array(encode(values, layout.dtype)));
  const step = new Uint32Array(STEP_STATE_WORDS);
  new Float32Array(step.buffer)[StepWord.lossScale] = LOSS_SCALE;
  device.write(buffers.get("step")!, 0, step);
  device.write(buffers.get("gradientTable")!, 0, validElements(layout));
  write("parameters", filled(layout, 1));

  const loss = { buffer: { slot: 0 }, offset: 0, size: 16 };
  const traits = { ...device.traits, maxStorageBindingBytes: largestBinding };
  const { dispatches } = updateDispatches(layout, new Set(TRAINED), loss, spec, SCALER, traits);
  const bound = await bind(
    device,
    dispatches.map(({ kernel, bindings }) => ({
      kernel,
      buffers: bindings.map(({ buffer, offset, size }) => ({
        buffer: buffers.get(typeof buffer === "string" ? buffer : "loss")!,
        offset,
        size,
      })),
    })),
  );
  for (let i = 0; i < STEPS; i++) {
    const gradients = gradientsOf(layout, i).map((g) => g * LOSS_SCALE);
    if (i === OVERFLOW) gradients[layout.entries.at(-1)!.offset / DTYPE_BYTES[layout.dtype]] = Infinity;
    write("gradients", gradients);
    const encoder = device.gpu.createCommandEncoder();
    encodePass(encoder, "update", bound.dispatches);
    device.submit(encoder);
  }
  const names = ["parameters", ...states.map((_, n) => `optimizer${n}`)];
  const bytes = await device.read(names.map((name) => ({ buffer: buffers.get(name)!, offset: 0, size: sizes[name]! })));
  bound.free();
  for (const buffer of buffers.values()) device.free(buffer);
  const [parameters, ...kept] = bytes.map((part, i) => Float64Array.from(decode(part, i === 0 ? layout.dtype : "f32")));
  const updates = dispatches.filter(({ opType }) => opType === spec.kind).length;
  return { parameters: parameters!, states: kept, updates };
}

/** Parameters and state after all steps by the host form; parameters are rounded to their type after each. */
function onHost(spec: OptimizerSpec, layout: ArenaLayout) {
  const definition = optimizerOf(spec);
  let parameters = filled(layout, 1);
  const own = Array.from(parameters, () => new Float64Array(definition.update(spec).states));
  const updated = [...Array(STEPS).keys()].filter((step) => step !== OVERFLOW);
  updated.forEach((step, before) => {
    const gradients = gradientsOf(layout, step);
    const next = parameters.slice();
    for (const { name, offset, type } of layout.entries) {
      const first = offset / DTYPE_BYTES[layout.dtype];
      for (let i = first; TRAINED.includes(name) && i < first + sizeOf(type.shape); i++) {
        next[i] = definition.ofParameter(spec, parameters[i]!, gradients[i]!, own[i]!, before + 1);
      }
    }
    parameters = rounded(next, layout.dtype);
  });
  const states = Array.from(own[0]!, (_, n) => Float64Array.from(own, (state) => state[n]!));
  return { parameters, states };
}

for (const definition of OPTIMIZERS) {
  const settings = settingsOf<(typeof definition)["schema"]>(definition.schema) as OptimizerSpec[];

  Deno.test(`${kindOf(definition)}: the device updates as its host form does`, async () => {
    const { traits } = await testDevice();
    for (const dtype of traits.f16 ? ["f32", "f16"] as const : ["f32"] as const) {
      const tolerance: Record<FloatType, number> = { f32: 4e-6, f16: 1e-3 };
      const graph = new Graph();
      const layout = packArena(
        Object.entries(SIZES).map(([name, size]) => graph.leaf("parameter", name, rowMajor([size], dtype))),
      );
      for (const spec of settings) {
        const want = onHost(spec, layout);
        const start = filled(layout, 1);
        assert.ok(want.parameters.some((p, i) => Math.abs(p - start[i]!) > 0.05), "an update that can be seen");
        for (const largest of [16384, 65536]) {
          const where = `${JSON.stringify(spec)}, ${dtype}, bindings of ${largest} bytes`;
          const got = await onDevice(spec, layout, largest);
          assert.ok(largest === 65536 ? got.updates === 2 : got.updates > 2 || dtype === "f16", where);
          assertClose(got.parameters, want.parameters, tolerance[dtype], `${where}: parameters`);
          assert.equal(got.states.length, want.states.length, where);
          // Where parameters decay, what f16 rounds off reaches the state
          want.states.forEach((state, n) =>
            assertClose(got.states[n]!, state, tolerance[dtype], `${where}: state ${n}`)
          );
        }
      }
    }
  });

  Deno.test(`${kindOf(definition)}: its records pass the schema, and the factory has the schema's defaults`, () => {
    for (const spec of settings) assert.deepEqual(optimizerSchema.parse(spec), spec);
  });
}

Deno.test("weight decay defaults to 0 in adam and 0.01 in adamW", () => {
  assert.equal(adam().weightDecay, 0);
  assert.equal(adamW().weightDecay, 0.01);
  assert.equal(adam({ weightDecay: undefined }).weightDecay, 0);
});

Deno.test("optimizers refuse options out of bounds", () => {
  const refused = (spec: unknown) => assert.equal(optimizerSchema.safeParse(spec).success, false, JSON.stringify(spec));
  refused({ kind: "sgd" });
  refused({ kind: "sgd", learningRate: -1 });
  refused({ kind: "sgd", learningRate: NaN });
  refused({ kind: "sgd", learningRate: 1, momentum: 1 });
  refused({ kind: "sgd", learningRate: 1, nesterov: true });
  refused({ kind: "adam", beta1: 1 });
  refused({ kind: "adam", epsilon: 0 });
  refused({ kind: "adam", amsgrad: true });
  refused({ kind: "rmsprop", alpha: 1 });
  refused({ kind: "lion", epsilon: 1e-8 });
});

Deno.test("an unknown optimizer is refused with the list of all", () => {
  const problem = optimizerSchema.safeParse({ kind: "nonsense" }).error?.issues[0]?.message;
  const [, names] = problem!.match(/^expected an optimizer: (.*)$/)!;
  const kinds = OPTIMIZERS.map(({ schema }) => `${schema.shape.kind.value}()`);
  assert.deepEqual(names!.split(/, | or /), kinds);
});
