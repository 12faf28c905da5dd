import assert from "node:assert/strict";
import { buildTimeline } from "../../runtime/analysis/timeline.ts";
import { sampleClock } from "../../runtime/device/clock.ts";
import { fitClock } from "../../runtime/record/clock_fit.ts";
import type { ProfileRequest } from "../../runtime/record/schedule.ts";
import { renderTrace } from "../../runtime/report/trace/trace.ts";
import { type ProfileOptions, runProfile } from "../../runtime/trainer/profile_run.ts";
import { crossEntropy, mlp, scenario, sgd, syntheticImages } from "../../mod.ts";
import { full, fullTest } from "../support/full.ts";
import { type ReadySession, withSession } from "../support/session.ts";
import { validateTrace } from "../support/trace_validator.ts";

const small = scenario({
  name: "small",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9 }),
  data: syntheticImages({ height: 4, width: 4, classes: 4, length: 64 }),
  loader: { batchSize: 8 },
  variants: {
    plain: {},
    workers: { loader: { numWorkers: 2 } },
    sink: { sink: 4, loader: { numWorkers: 1 } },
    monitored: { monitor: "step" },
    events: { timing: "event" },
  },
});

function profile(
  { session, device, loader, recorder }: ReadySession,
  request: Partial<ProfileRequest>,
  options: Partial<ProfileOptions> = {},
) {
  const shouldStop = () => false;
  const whole = { skipFirst: 0, wait: 0, warmup: 0, active: 1, repeat: 1, ...request };
  return runProfile({ session, device, loader, recorder, request: whole, shouldStop, ...options });
}

fullTest("a long window counts all of its steps and traces the first hundred", async () => {
  for (const [variant, window] of [["plain", full ? 2000 : 240], ["sink", full ? 400 : 120]] as const) {
    await withSession(small, variant, async (ready) => {
      await ready.feed.run(4);
      const { steps, interrupted } = await profile(ready, { skipFirst: 1, active: window });
      assert.equal(interrupted, false);
      const { statistics, traced, first } = steps;
      assert.deepEqual([statistics.steps, first], [window, 1]);
      assert(
        statistics.ops.every(({ calls, min, max, total }) => calls === window && min > 0 && total <= max * window),
      );
      assert(statistics.phases.every(({ steps }) => steps === window));
      assert.deepEqual(traced.map(({ index }) => index), Array.from({ length: 100 }, (_, i) => i + 1));
      const { spans, counters } = ready.recorder.take();
      assert(spans.length < 6000 && counters.length < 2000, `${spans.length} spans, ${counters.length} samples`);
    });
  }
});

Deno.test("the trace has batches that workers make during profiled steps, and lanes of cores and threads", async () => {
  await withSession(small, "workers", async (ready) => {
    await ready.feed.run(2);
    const { lanes } = await profile(ready, { active: 100 }); // long enough for samples on a busy machine
    const { spans } = ready.recorder.take();
    const taken = spans.filter(({ name }) => name === "load dataset").length;
    const made = spans.filter(({ name }) => /^batch \d+$/.test(name)).length;
    assert(made > taken, `${made} batches made, ${taken} taken by steps`);
    if (Deno.build.os !== "linux") return;
    const tracks = new Set(lanes!.spans.map(({ track }) => track.replace(/ .*/, "")));
    assert.deepEqual([...tracks].sort(), ["core", "thread"]);
    assert(lanes!.sampling.share < 1, Deno.inspect(lanes!.sampling));
  });
});

Deno.test("profiling restores the training state and the step count", async () => {
  for (const variant of ["plain", "sink"]) {
    await withSession(small, variant, async (ready) => {
      await ready.feed.run(4);
      const before = await ready.session.state.outcomes(0, 4);
      const { executor, state: { steps } } = ready.context;
      await profile(ready, { active: 6 });
      assert.deepEqual([ready.session.state.steps, ready.context.executor === executor], [steps, true]);
      assert.deepEqual(await ready.session.state.outcomes(0, 4), before);
      assert.equal((await ready.feed.run(4)).outcomes.length, 4);
    });
  }
});

Deno.test("an interrupted profile keeps the steps that ran and restores the state", async () => {
  for (const variant of ["plain", "sink"]) {
    await withSession(small, variant, async (ready) => {
      await ready.feed.run(4);
      const before = await ready.session.state.outcomes(0, 4);
      let done = 0;
      const { session, recorder } = ready;
      const { steps, interrupted, cost } = await profile(ready, { active: 100 }, {
        blockSteps: 4,
        onStep: (n) => done = n,
        shouldStop: () => done >= 8,
      });
      assert.deepEqual([interrupted, cost, steps.statistics.steps], [true, null, 8]);
      assert(steps.statistics.ops.every(({ calls }) => calls === 8));
      assert.deepEqual([recorder.keeping, recorder.recording], [false, false]);
      assert.deepEqual(await session.state.outcomes(0, 4), before);
    });
  }
});

Deno.test("with a sink, profiled steps use the same feed as measured steps, and every step has its dispatches", async () => {
  await withSession(small, "sink", async (ready) => {
    const clock = [await sampleClock(ready.device)];
    await ready.feed.run(8);
    const { steps } = await profile(ready, { warmup: 1, active: 6 }, { blockSteps: 4 });
    clock.push(await sampleClock(ready.device));
    assert.deepEqual(steps.traced.map(({ index }) => index), [1, 2, 3, 4, 5, 6]);
    const { executor } = ready.session;
    const { dispatches, plan } = executor;
    assert(steps.traced.every(({ passes }) => passes.length === dispatches.length && !passes.includes(null)));
    const kept = ready.recorder.take();
    const queue = kept.counters.filter(({ counter }) => counter === "device queue").map(({ value }) => value);
    assert.deepEqual(queue, [4, 0, 1, 2, 3, 4, 4, 0, 1, 2, 3, 4], "two sinks, each staged while the previous one runs");
    assert.equal(kept.spans.filter(({ name }) => name === "sink of 4 steps").length, 2);
    const fit = fitClock(clock.filter((sample) => sample !== null))!;
    const timeline = buildTimeline("sink", executor, plan.nodes, steps.traced, [], kept, (ns) => fit.toHost(ns));
    assert.equal(timeline.flows.length, 2, "an arrow from each submit");
    assert.deepEqual(validateTrace(renderTrace([timeline])), []);
  });
});

Deno.test("profiled batches trace samples and stages on the thread that made them", async () => {
  for (const variant of ["plain", "workers"]) {
    await withSession(small, variant, async (ready) => {
      await ready.feed.run(2);
      await profile(ready, { active: 12 });
      const { spans, counters } = ready.recorder.take();
      // One worker may have made all batches
      const batch = spans.findLast(({ name }) => /^batch \d+$/.test(name))!;
      assert.match(batch.track, variant === "plain" ? /^main$/ : /^worker [01]$/);
      const own = spans.filter(({ track }) => track === batch.track);
      const inside = own.filter((span) => span !== batch && batch.start <= span.start && span.end <= batch.end);
      assert.equal(inside.filter(({ name }) => /^sample \d+$/.test(name)).length, 8);
      assert(inside.filter(({ name }) => name === "read").length === 8);
      assert(inside.some(({ name }) => name === "collate"));
      const counted = new Set(counters.map(({ counter }) => counter));
      const queues = ["host queue", "worker 0 queue", "worker 1 queue"];
      assert.deepEqual(queues.map((name) => counted.has(name)), queues.map(() => variant === "workers"));
      if (variant !== "plain") return;
      const later = await ready.loader.next();
      assert.deepEqual(later.stages.laps, [], "later batches are not traced");
      later.release();
    });
  }
});

fullTest(
  "profiled steps read losses and wait as often as measured steps, and the copies are on their track",
  async () => {
    const expected = { plain: [2, 6], sink: [2, 2], monitored: [6, 6], events: [2, 2] } as const;
    for (const [variant, [readbacks, waits]] of Object.entries(expected)) {
      await withSession(small, variant, async (ready) => {
        await ready.feed.run(4);
        const measured = { ...ready.device.counts };
        await ready.feed.run(4);
        const perBlock = ready.device.counts.readbacks - measured.readbacks;
        // Two blocks, of 4 and of 2 steps, or of a sink each
        await profile(ready, { active: 6 }, { blockSteps: 4 });
        const { spans } = ready.recorder.take();
        const count = (name: string) => spans.filter((span) => span.name === name).length;
        const steps = variant === "sink" ? 8 : 6;
        assert.deepEqual(
          [count("monitor loss"), count("losses to host"), count("wait"), count("batch to device")].slice(0, 3),
          [readbacks, readbacks, waits],
          variant,
        );
        assert.equal(perBlock, variant === "monitored" ? 4 : 1);
        assert(count("batch to device") >= steps, "an upload for each batch");
        assert.equal(count("timestamps to host (profiler)"), 1);
        assert(spans.filter(({ track }) => track === "copies").every(({ args }) => (args!["bytes"] as number) > 0));
      });
    }
  },
);

fullTest(
  "with a readback after each step, the device idles between profiled steps as between measured ones",
  async () => {
    await withSession(small, "monitored", async (ready) => {
      await ready.feed.run(4);
      const { steps: { traced } } = await profile(ready, { active: 4 });
      const { spans } = ready.recorder.take();
      const reads = spans.filter(({ name }) => name === "monitor loss");
      const gaps = traced.slice(1).map(({ passes }, i) =>
        Number(passes[0]!.begin - traced[i]!.passes.at(-1)!.end) / 1e6
      );
      assert.equal(reads.length, 4);
      const least = reads.map(({ start, end }) => 0.99 * (end - start));
      assert(gaps.every((gap, i) => gap > least[i]!), `gaps of ${gaps} ms contain readbacks of ${least} ms`);
    });
  },
);
