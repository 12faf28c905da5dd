import assert from "node:assert/strict";
import { schedules } from "../../mod.ts";
import { beginUpdateKernel } from "../../ops/optimizer/begin_update.ts";
import { STEP_STATE_WORDS, StepWord } from "../../ops/optimizer/step_state.ts";
import { LOSS_RING_BYTES } from "../../runtime/compile/update.ts";
import { kindOf } from "../../runtime/data/kinds.ts";
import { bind, encodePass } from "../../runtime/device/bind.ts";
import { decodeOutcomes, ringRanges } from "../../runtime/engine/model_state.ts";
import {
  rateScheduleOf,
  scheduleOf,
  SCHEDULES,
  scheduleSchema,
  type ScheduleSpec,
} from "../../runtime/nn/schedules.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { altered } from "../scenario/fixtures.ts";
import { testDevice } from "../support/evaluate.ts";
import { refuses } from "../support/refuses.ts";

const SCALER = { dynamic: false, growth: 2, interval: 1000, backoff: 0.5 };
const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;

const SPECS: readonly ScheduleSpec[] = [
  schedules.constant(),
  schedules.constant({ warmup: 7, warmupStart: 0.1 }),
  schedules.step({ stepSize: 3, gamma: 0.5 }),
  schedules.step({ stepSize: 1, gamma: 0.97, warmup: 4 }),
  schedules.step({ stepSize: 2, gamma: 0 }),
  schedules.cosine({ steps: 30 }),
  schedules.cosine({ steps: 25, minFactor: 0.1, warmup: 5 }),
  schedules.cosine({ steps: 1 }),
  schedules.oneCycle({ steps: 30 }),
  schedules.oneCycle({ steps: 21, pctStart: 0.25, divFactor: 10, finalDivFactor: 100, anneal: "linear" }),
  schedules.oneCycle({ steps: 10, pctStart: 0.1 }),
  schedules.oneCycle({ steps: 1 }),
  schedules.oneCycle({ steps: 5, pctStart: 0.1 }),
  schedules.oneCycle({ steps: 20, pctStart: 1 }),
];

/** Factors that the device computes for 40 updates, after `updates` earlier ones. */
async function onDevice(spec: ScheduleSpec, updates: number): Promise<number[]> {
  const device = await testDevice();
  const sizes = { step: STEP_STATE_WORDS * 4, loss: 16, ring: LOSS_RING_BYTES };
  const buffers = Object.entries(sizes).map(([name, size]) => device.buffer(name, size, USAGE));
  const [state, , ring] = buffers as [GPUBuffer, GPUBuffer, GPUBuffer];
  const words = new Uint32Array(STEP_STATE_WORDS);
  words[StepWord.updates] = updates;
  new Float32Array(words.buffer)[StepWord.lossScale] = 1;
  device.write(state, 0, words);
  const kernel = beginUpdateKernel(SCALER, [], 1, rateScheduleOf(spec));
  const { dispatches, free } = await bind(device, [{
    kernel,
    buffers: buffers.map((buffer) => ({ buffer, offset: 0, size: buffer.size })),
  }]);
  const encoder = device.gpu.createCommandEncoder();
  for (let i = 0; i < 40; i++) encodePass(encoder, "update", dispatches);
  device.submit(encoder);
  const parts = await device.read(ringRanges(0, 40).map((range) => ({ buffer: ring, ...range })));
  free();
  for (const buffer of buffers) device.free(buffer);
  return parts.flatMap(decodeOutcomes).map(({ rateFactor }) => rateFactor);
}

Deno.test("schedules: the device computes the factors of the host form", async () => {
  assert.deepEqual(new Set(SPECS.map(({ kind }) => kind)), new Set(SCHEDULES.map(kindOf)));
  for (const spec of SPECS) {
    for (const updates of [0, 100_000]) {
      const factors = await onDevice(spec, updates);
      factors.forEach((factor, i) => {
        const wanted = scheduleOf(spec).factor(spec, updates + i);
        const where = `${JSON.stringify(spec)}, update ${updates + i}: ${factor}, expected ${wanted}`;
        assert.ok(Math.abs(factor - wanted) <= 2e-7 + 1e-6 * wanted, where);
        assert.ok(factor >= 0 && factor <= 1, where);
      });
    }
  }
});

Deno.test("schedules: records pass the schema; others are refused by path", () => {
  for (const spec of SPECS) assert.deepEqual(scheduleSchema.parse(spec), spec);
  const refused = (schedule: string, message: RegExp) =>
    refuses(() => resolveScenario(altered({}), { overrides: [`schedule=${schedule}`] }), message, schedule);
  refused("{kind: exponential}", /schedule\.kind.*schedules\.constant\(\), schedules\.step\(\), .*, or null/);
  refused("cosine", /schedule\.steps/);
  refused("{kind: cosine, steps: 10, warmup: 10}", /schedule\.warmup: expected fewer updates than steps/);
  refused("{kind: step, stepSize: 0}", /schedule\.stepSize/);
  refused("{kind: cosine, steps: 1e12}", /schedule\.steps: expected at most 4294967295/);
  refused("{kind: step, stepSize: 1, warmup: 1e12}", /schedule\.warmup: expected at most 4294967295/);
  refused("{kind: oneCycle, steps: 10, pctStart: 1.5}", /schedule\.pctStart/);
});

Deno.test("schedules: overrides reach into the record and sweep over kinds", () => {
  const { variants } = resolveScenario(altered({ variants: {}, schedule: schedules.cosine({ steps: 50 }) }), {
    overrides: ["schedule.warmup=0,5"],
  });
  assert.deepEqual(variants.map(({ config }) => (config.schedule as { warmup: number }).warmup), [0, 5]);
  const short = resolveScenario(altered({}), { overrides: ["schedule=constant"] });
  assert.equal(short.variants[0]!.config.schedule?.kind, "constant");
});
