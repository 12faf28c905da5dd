/** Tests of `bench()` with functions on the host and on a device. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  AbortedError,
  bench,
  type BenchOptions,
  checkGates,
  DeviceError,
  deviceEvent,
  InputError,
  render,
  resultSchema,
  type RunEvent,
} from "../../mod.ts";
import { sizesFor } from "../../runtime/library/bench/calibrate.ts";
import { openStore } from "../../runtime/store/store.ts";

/** A benchmark whose sizes do not depend on the machine. */
const SMALL: BenchOptions = { calls: 2, measure: { steps: 3, skip: 1, maxSkip: 1, rounds: 2 } };

/** A clock that only the functions under test advance. Restores that of the process when disposed. */
function plantedClock() {
  const { now } = performance;
  let time = now.call(performance);
  performance.now = () => time;
  return {
    /** Lets `ms` milliseconds pass. */
    pass: (ms: number) => void (time += ms),
    [Symbol.dispose]: () => void (performance.now = now),
  };
}

/** Computes for a time in proportion to `amount`. */
function work(amount: number): number {
  let sum = 0;
  for (let i = 0; i < amount; i++) sum += Math.sqrt(i);
  return sum;
}

Deno.test("functions are arms: blocks, rounds, a control arm, intervals, verdicts, gates and reports", async () => {
  const options = { unit: "sums", samples: 3, measure: { rounds: 8, steps: 4 }, calls: 2, seed: 5 };
  let calls = 0;
  const about = (ms: number) => () => clock.pass(ms * (1 + ++calls % 7 / 1000));
  using clock = plantedClock();
  const result = resultSchema.parse(await bench({ slow: about(10), fast: about(1) }, options));
  const [slow, fast] = result.variants;
  assert.deepEqual([result.baseline, fast!.verdict, result.scenario.seed], ["slow", "faster", 5]);
  assert.equal(result.procedure!.secondArm!.name, "slow#2");
  assert.notEqual(result.noiseFloor, null);
  assert.deepEqual(slow!.blocks.map(({ samples, steps }) => [samples, steps.length]), Array(8).fill([24, 4]));
  assert.equal(fast!.metrics.ips!.unit, "sums/s");
  for (const { samples, wall, steps } of slow!.blocks) {
    assert.equal(wall, steps.reduce((sum, { batchCost }) => sum + batchCost!, 0));
    assert.ok(samples === 24 && steps.every(({ stepTime }) => stepTime === null));
  }
  assert.ok((await checkGates(result, ["speedup.fast>=5", "verdict.fast==faster"])).passed);
  const text = await render(result);
  assert.match(text, /^fast +\S+ .* faster/m);
  assert.doesNotMatch(text, /loss|reader|forward|model/);
  assert.match(await render(result, { format: "markdown" }), /8 rounds/);
});

Deno.test("each copy of a function has separate state, set up and torn down once", async () => {
  const log: string[] = [];
  let made = 0;
  const counted = {
    setup: async () => await Promise.resolve({ id: ++made, calls: 0 }),
    run: (state: { id: number; calls: number }, { call }: { call: number }) => {
      assert.equal(call, state.calls++);
    },
    teardown: ({ id, calls }: { id: number; calls: number }) => void log.push(`${id}: ${calls}`),
  };
  let plain = 0;
  const { variants } = await bench({ counted, plain: async () => await Promise.resolve(plain++) }, SMALL);
  assert.deepEqual(variants.map(({ status }) => status), ["ok", "ok"]);
  // 1 warm-up step and 2 blocks of 3 steps, of 2 calls each
  assert.deepEqual([log.toSorted(), plain], [["1: 14", "2: 14"], 14]);
});

Deno.test("a function that throws fails alone, and is torn down", async () => {
  const down: string[] = [];
  const broken = {
    setup: () => "state",
    run: (_: string, { call }: { call: number }) => {
      if (call === 9) throw new RangeError("out of range");
    },
    teardown: (state: string) => void down.push(state),
  };
  const refused = { setup: () => Promise.reject(new Error("no place")), run: () => {} };
  const { variants } = await bench({ good: () => {}, broken, refused }, SMALL);
  assert.deepEqual(variants.map(({ status, error, blocks }) => [status, error?.message, blocks.length]), [
    ["ok", undefined, 2],
    ["failed", "RangeError: out of range", 1],
    ["failed", "Error: no place", 0],
  ]);
  assert.deepEqual(down, ["state"]);
});

Deno.test("an abort in each stage tears down and rejects with the complete rounds", async () => {
  const stages: [string, (event: RunEvent) => boolean, number][] = [
    ["the start", ({ type }) => type === "start", 0],
    ["the warm-up", (event) => event.type === "progress" && event.stage === "warmup", 0],
    ["a round", (event) => event.type === "progress" && event.stage === "measure" && event.step === 1, 0],
    ["the second round", ({ type }) => type === "round", 1],
  ];
  for (const [stage, at, rounds] of stages) {
    const controller = new AbortController();
    let open = 0;
    const entry = { setup: () => ++open, run: () => {}, teardown: () => --open };
    const onEvent = (event: RunEvent) => {
      if (at(event)) controller.abort();
    };
    const error = await bench({ a: entry, b: entry }, { ...SMALL, signal: controller.signal, onEvent }).then(
      () => assert.fail(`${stage}: not aborted`),
      (error: unknown) => error,
    );
    assert.ok(error instanceof AbortedError, `${stage}: ${Deno.inspect(error)}`);
    assert.deepEqual([resultSchema.parse(error.partial).procedure!.rounds, open], [rounds, 0], stage);
  }
});

Deno.test("a timer of the program can abort synchronous functions", async () => {
  const running = bench({ a: () => void work(10_000), b: () => {} }, {
    calls: 1,
    measure: { steps: 5, rounds: 1_000_000 },
    signal: AbortSignal.timeout(200),
  });
  await assert.rejects(running, AbortedError);
});

Deno.test("a function that starts a measurement fails instead of waiting for itself", async () => {
  const { variants } = await bench({ a: () => {}, b: () => bench({ c: () => {} }, SMALL) }, SMALL);
  assert.match(variants[1]!.error!.message, /wait for its own end/);
});

Deno.test("names, options and functions are checked", async () => {
  const wrong: [object, object, RegExp][] = [
    [{}, {}, /^bench\(\): expected at least one function/],
    [{ "a b": () => {} }, {}, /^bench\(\): name "a b": expected a letter/],
    [{ a: 3 }, {}, /^bench\(\): a is 3; expected a function, or \{ setup, run, teardown \}/],
    [{ alpha: () => {} }, { baseline: "alfa" }, /unknown function "alfa"; did you mean "alpha"/],
    [{ a: () => {} }, { cals: 1 }, /^bench\(\) has no "cals"; did you mean "calls"\?/],
    [{ a: () => {} }, { measure: { rounds: 0 } }, /^bench\(\)\.measure\.rounds is 0; expected at least 1/],
    [{ a: () => {} }, { device: {} }, /^bench\(\)\.device is \{\}; expected a GPUDevice/],
  ];
  for (const [functions, options, message] of wrong) {
    await assert.rejects(bench(functions as Record<string, () => void>, options), (error) => {
      assert.ok(error instanceof InputError);
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("the store and a report folder keep a benchmark", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const result = await bench({ a: () => {}, b: () => {} }, {
      ...SMALL,
      ...{ name: "sums", store: join(folder, "store"), report: join(folder, "report") },
    });
    assert.deepEqual(JSON.parse(await Deno.readTextFile(join(folder, "report", "result.json"))), result);
    assert.match(await Deno.readTextFile(join(folder, "report", "report.md")), /^# sums$/m);
    await Deno.writeTextFile(join(folder, "file"), "");
    await assert.rejects(bench({ a: () => {} }, { report: join(folder, "file") }), {
      name: "InputError",
      message: /^report .*file: cannot be written \(it is not a folder\)$/,
    });
    using store = openStore(join(folder, "store"));
    const [run] = store.find({ scenario: "sums" });
    assert.deepEqual(store.result(run!.id), result);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("sizes of steps and blocks suit the fastest function, unless the slowest takes too long", () => {
  const none = { calls: undefined, steps: undefined };
  assert.deepEqual(sizesFor([0.01, 0.02], none), { calls: 100, steps: 100 });
  assert.deepEqual(sizesFor([0.01, 10], none), { calls: 20, steps: 10 });
  assert.deepEqual(sizesFor([50, 5000], none), { calls: 1, steps: 1 });
  assert.deepEqual(sizesFor([0.01], { calls: 7, steps: undefined }), { calls: 7, steps: 1429 });
  assert.deepEqual(sizesFor([], { calls: 7, steps: 3 }), { calls: 7, steps: 3 });
});

/** Opens a device that Tacho did not open, with a kernel. */
async function ownDevice() {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter!.requestDevice({ requiredFeatures: ["timestamp-query"] });
  const module = device.createShaderModule({
    code: `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  for (var i = 0u; i < 200u; i++) { x[id.x] = fma(x[id.x], 0.5, 1.0); }
}`,
  });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const buffer = device.createBuffer({ size: 4 * 64 * 16, usage: GPUBufferUsage.STORAGE });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer } }],
  });
  const dispatch = (times: number) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < times; i++) pass.dispatchWorkgroups(16);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  return { device, dispatch };
}

Deno.test("device functions are timed to the end of their work, and their events give device time", async () => {
  const { device, dispatch } = await ownDevice();
  try {
    const { variants, environment } = resultSchema.parse(
      await bench({
        timed: {
          run: (_, { deviceTime }) => {
            const begin = deviceEvent(device).record(device.queue);
            dispatch(4);
            deviceTime(begin, deviceEvent(device).record(device.queue));
          },
        },
        untimed: () => dispatch(4),
      }, { ...SMALL, device }),
    );
    const [timed, untimed] = variants;
    assert.deepEqual([timed!.status, untimed!.status], ["ok", "ok"]);
    assert.notEqual(environment.adapter, null);
    assert.equal(untimed!.metrics.stepTime, null);
    assert.equal(timed!.config.timing, "event");
    for (const { stepTime, batchCost } of timed!.blocks.flatMap(({ steps }) => steps)) {
      // The step waits for the device, whose clock need not tick exactly as the host's
      assert.ok(stepTime! > 0 && stepTime! < batchCost! * 1.2, `${stepTime} of ${batchCost} ms`);
    }
  } finally {
    device.destroy();
  }
});

Deno.test("a command that the device refuses fails the function", async () => {
  const { device } = await ownDevice();
  try {
    const { variants } = await bench({
      good: () => {},
      bad: () => void device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE }),
    }, { ...SMALL, device });
    assert.deepEqual(variants.map(({ status }) => status), ["ok", "failed"]);
    assert.equal(variants[1]!.error!.exitStatus, new DeviceError("").exitStatus);
  } finally {
    device.destroy();
  }
});
