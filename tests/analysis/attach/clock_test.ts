import type { AttachedDevice } from "../../../runtime/result/attach_result.ts";
import assert from "node:assert/strict";
import { analyseAttached } from "../../../runtime/analysis/attach/analyse.ts";
import { PassChecker, type SubmittedPass } from "../../../runtime/attach/checked_passes.ts";
import { HostAxis } from "../../../runtime/attach/host_axis.ts";
import { type AttachRecord, HOST_KINDS, RECORDS_VERSION, TOTALS } from "../../../runtime/attach/records.ts";
import { clockSentence } from "../../../runtime/report/attach/sentences.ts";
import { renderAttachedHtml } from "../../../runtime/report/attach/html.ts";
import { renderAttached, renderAttachedMarkdown } from "../../../runtime/report/attach/text.ts";

/** The device's clock at a host time in ms. */
type Clock = (ms: number) => bigint;

const ns = (ms: number) => BigInt(Math.round(ms * 1e6));
/** A clock that started 50 s before the host's, with a step in ns. */
const ticking = (step: number): Clock => (ms) => (ns(50_000 + ms) / BigInt(step)) * BigInt(step);
const good = ticking(1);

/** Kernels of a step in the order of execution, with the times of their dispatches in ms. */
const LONG = { kernel: 0, ms: 2.300_017 };
const SHORT = { kernel: 1, ms: 0.005_003 };
const SINGLE = { kernel: 2, ms: 0.007_001 };
const RUN = 400;
/** One long dispatch, a run of 400 short ones, and a single short one. */
const STEP = [LONG, ...Array.from({ length: RUN }, () => SHORT), SINGLE];
const STEP_MS = STEP.reduce((sum, { ms }) => sum + ms, 0);
const STEPS = 12;
/** The first step, which uses kernels for the first time, is warm-up. */
const STEADY = STEPS - 1;
/** Time from one step to the next, which is no multiple of a step of a clock. */
const PERIOD = 41.037_113;

interface Stream {
  readonly clock?: Clock;
  readonly step?: readonly { readonly kernel: number; readonly ms: number }[];
  /** Time of the last state of the recorder in ms, if the program was killed after it. */
  readonly stateTime?: number;
  /** Changes what the device wrote, pass by pass. */
  readonly spoil?: (pass: SubmittedPass, index: number) => SubmittedPass;
}

/** Analyses a program of 12 steps on a device with this clock; timestamps are read after every third step. */
function analyse({ clock = good, step = STEP, spoil = (pass) => pass, stateTime = Infinity }: Stream): AttachedDevice {
  const axis = new HostAxis();
  const sample = (ms: number) =>
    axis.observe(Array.from({ length: 6 }, (_, i) => {
      const hostMs = ms + 0.1 * i;
      return { hostMs, deviceNs: clock(hostMs), uncertaintyMs: 0.05 };
    }));
  const checker = new PassChecker(axis);
  const device = { device: 0 };
  const records: AttachRecord[] = [
    { kind: "start", version: RECORDS_VERSION, realm: "main", time: 0, timeOrigin: 0 },
    { kind: "device", ...device, time: 0, label: "", adapter: "simulated", timestamps: "program" },
    ...["long", "short", "single"].flatMap((label, kernel): AttachRecord[] => [
      { kind: "kernel", ...device, kernel, label, entryPoint: "main", hash: "", does: "", line: null },
      { kind: "site", ...device, site: kernel, kernel, grid: [1, 1, 1], bytes: 4096, line: null, pass: "" },
    ]),
  ];
  sample(0);
  sample(20);
  let index = 0;
  let reading: (SubmittedPass & { readonly kernel: number; readonly submit: number })[] = [];
  for (let submit = 0; submit < STEPS; submit++) {
    const submitted = 100 + submit * PERIOD;
    let time = submitted + 0.2;
    for (const { kernel, ms } of step) {
      const pass = spoil({ begin: clock(time), end: clock(time + ms), submitted }, index++);
      reading.push({ ...pass, kernel, submit });
      time += ms;
    }
    const host = [HOST_KINDS.indexOf("submit"), submitted, submitted + 0.1];
    const totals = TOTALS.map((name) => name === "submits" ? 1 : name.endsWith("ispatches") ? step.length : 0);
    records.push({
      ...{ kind: "cut", ...device, by: "step", name: null, start: submitted, end: submitted + PERIOD, symbol: 1 },
      ...{ pending: 1, totals, host, memory: 0, peak: 0 },
    });
    if (submit % 3 < 2) continue;
    const done = time + 0.1;
    sample(done + 0.1);
    records.push({
      ...{ kind: "passes", ...device },
      site: reading.map(({ kernel }) => kernel),
      submit: reading.map((pass) => pass.submit),
      between: reading.map(() => 0),
      ...checker.check(reading, done),
    });
    reading = [];
  }
  records.push({
    ...{ kind: "state", ...device, time: stateTime, memory: 0, peak: 0, peakTime: 0, largest: [], buffers: [] },
    ...{
      calls: [STEPS, STEPS * RUN, STEPS],
      renders: [],
      unslotted: 0,
      nsPerTick: axis.nsPerTick,
      clockError: axis.error,
    },
    clockResets: axis.resets,
  });
  return analyseAttached([records], "step").devices[0]!;
}

const kernel = ({ kernels }: AttachedDevice, label: string) => kernels.find((one) => one.label === label)!;
const kinds = ({ clock }: AttachedDevice) => clock.issues.map(({ kind }) => kind);
const passesOf = ({ clock }: AttachedDevice, kind: string) =>
  clock.issues.find((issue) => issue.kind === kind)?.passes ?? 0;
const near = (actual: number | null, expected: number, tolerance: number) =>
  assert(
    actual !== null && Math.abs(actual / expected - 1) <= tolerance,
    `${actual} is not within ${tolerance} of ${expected}`,
  );

Deno.test("a good clock with an offset to the host has no issues, and times each pass", () => {
  const device = analyse({});
  assert.deepEqual(device.clock.issues, []);
  assert.equal(clockSentence(device.clock), null);
  for (const [label, { ms }] of [["long", LONG], ["short", SHORT], ["single", SINGLE]] as const) {
    const { timedBy, median, calls, total } = kernel(device, label);
    assert.equal(timedBy, "pass");
    near(median, ms, 1e-3);
    near(total, ms * calls, 1e-3);
  }
  near(device.kernels.reduce((sum, { share }) => sum + share!, 0), 1, 1e-9);
  near(device.account!.sum, STEP_MS, 1e-4);
});

for (const step of [65_536, 100_000]) {
  Deno.test(`with a clock that ticks every ${step} ns, runs have batch times and single short kernels none`, () => {
    const device = analyse({ clock: ticking(step) });
    assert.deepEqual(kinds(device), ["coarse", "merged"]);
    assert.equal(device.clock.resolution, step);
    near(kernel(device, "long").median, LONG.ms, step / 1e6 / LONG.ms);
    const short = kernel(device, "short");
    assert.deepEqual([short.timedBy, short.calls], ["batch", STEADY * RUN]);
    near(short.median, SHORT.ms, step / 1e6 / (RUN * SHORT.ms));
    near(short.total, short.median! * short.calls, 1e-9);
    const { timedBy, total, median, share, boundGBs, calls } = kernel(device, "single");
    assert.deepEqual({ timedBy, total, median, share, boundGBs, calls }, {
      ...{ timedBy: null, total: null, median: null, share: null, boundGBs: null },
      calls: STEADY,
    });
    // Known times, and those of passes measured one by one, agree within a tick for each run of a step
    const known = device.kernels.reduce((sum, one) => sum + (one.total ?? 0), 0) / STEADY;
    assert(Math.abs(known - device.account!.sum) <= 2 * step / 1e6, `${known} and ${device.account!.sum}`);
    assert(Math.abs(STEP_MS - device.account!.sum) <= step / 1e6);
    const { wall, kernels, idle } = device.account!;
    near(kernels + Object.values(idle).reduce((sum, ms) => sum + ms, 0), wall, 1e-9);
    assert.match(clockSentence(device.clock)!, new RegExp(`ticks every ${step === 65_536 ? "65.5" : "100"} us`));
  });
}

Deno.test("a clock whose step changes during the run is as coarse as at its coarsest", () => {
  const half = 100 + STEPS / 2 * PERIOD - 0.5;
  const [coarse, fine] = [ticking(65_536), good];
  for (
    const clock of [(ms: number) => (ms < half ? coarse : fine)(ms), (ms: number) => (ms < half ? fine : coarse)(ms)]
  ) {
    const device = analyse({ clock });
    assert.deepEqual([kinds(device), device.clock.resolution], [["coarse", "merged"], 65_536]);
    near(kernel(device, "long").median, LONG.ms, 65_536 / 1e6 / LONG.ms);
    const short = kernel(device, "short");
    assert.deepEqual([short.timedBy, short.calls], ["batch", STEADY * RUN]);
    near(short.median, SHORT.ms, 65_536 / 1e6 / (RUN * SHORT.ms));
    assert.equal(kernel(device, "single").total, null);
  }
});

Deno.test("a coarse clock that rounds only some passes is labelled by its merged passes", () => {
  const coarse = (time: bigint) => time / 65_536n * 65_536n;
  const device = analyse({
    spoil: ({ begin, end, ...pass }, i) =>
      i % 2 ? { ...pass, begin, end } : { ...pass, begin: coarse(begin), end: coarse(end) },
  });
  assert(passesOf(device, "merged") > STEPS * RUN / 3 && passesOf(device, "overlapping") > 0, kinds(device).join());
  assert.equal(device.clock.usable, true);
  const { wall, kernels, idle } = device.account!;
  near(kernels + Object.values(idle).reduce((sum, ms) => sum + ms, 0), wall, 1e-9);
});

Deno.test("runs that are short for the clock have no batch times", () => {
  const step = [LONG, ...Array.from({ length: 100 }, () => SHORT), SINGLE]; // 0.5 ms, of which a tick is 20 %
  assert.equal(kernel(analyse({ clock: ticking(100_000), step }), "short").timedBy, null);
  assert.equal(kernel(analyse({ clock: ticking(20_000), step }), "short").timedBy, "batch");
});

Deno.test("other kernels between equal dispatches end a run", () => {
  const step = [LONG, ...Array.from({ length: 2 * RUN }, (_, i) => i % 2 ? SHORT : SINGLE)];
  const device = analyse({ clock: ticking(65_536), step });
  assert.deepEqual([kernel(device, "short").total, kernel(device, "single").total], [null, null]);
  assert.deepEqual(kinds(analyse({ step })), []);
});

Deno.test("merged ticks are labelled where the step of the clock is unknown", () => {
  const merged = analyse({ step: [SHORT], spoil: (pass) => ({ ...pass, end: pass.begin }) });
  assert.equal(passesOf(merged, "merged"), STEPS);
  assert.equal(kernel(merged, "short").total, null);
  assert.equal(merged.clock.usable, true);
});

Deno.test("overlapping passes are labelled, and the sum exceeds the union", () => {
  const early = 500_000n;
  const device = analyse({
    step: [LONG, LONG],
    spoil: (pass, i) => i % 2 === 1 ? { ...pass, begin: pass.begin - early } : pass,
  });
  assert.deepEqual(device.clock.issues, [{ kind: "overlapping", passes: STEPS, refused: false }]);
  near(device.account!.kernels, 2 * LONG.ms, 1e-4);
  near(device.account!.sum, 2 * LONG.ms + Number(early) / 1e6, 1e-4);
});

Deno.test("a pass within another one is labelled, and counts once in the union", () => {
  const device = analyse({
    step: [LONG, SINGLE],
    spoil: ({ begin, end, ...pass }, i) =>
      i % 2 === 1 ? { ...pass, begin: begin - 1_000_000n, end: end - 1_000_000n } : { ...pass, begin, end },
  });
  assert.deepEqual(device.clock.issues, [{ kind: "overlapping", passes: STEPS, refused: false }]);
  near(device.account!.kernels, LONG.ms, 1e-4);
  near(device.account!.sum, LONG.ms + SINGLE.ms, 1e-4);
  near(kernel(device, "single").median, SINGLE.ms, 1e-3);
});

Deno.test("negative durations are refused, and steps with them are in no account", () => {
  const spoil: Stream["spoil"] = (pass, i) => i === STEP.length ? { ...pass, begin: pass.end, end: pass.begin } : pass;
  const device = analyse({ spoil });
  assert.deepEqual(device.clock.issues, [{ kind: "negative", passes: 1, refused: true }]);
  assert.deepEqual([device.timedSteps - device.accountedSteps, kernel(device, "long").calls], [1, STEADY - 1]);
  near(kernel(device, "long").median, LONG.ms, 1e-3);
  near(device.account!.sum, STEP_MS, 1e-4);
});

Deno.test("a clock whose passes mostly end before they begin shows no times", () => {
  const device = analyse({ spoil: (pass, i) => i % 5 < 3 ? { ...pass, begin: pass.end, end: pass.begin } : pass });
  assert.deepEqual([kinds(device), device.clock.usable, device.account], [["negative"], false, null]);
  assert(device.kernels.every(({ total, median, share }) => total === null && median === null && share === null));
  assert.match(clockSentence(device.clock)!, /no times/);
});

Deno.test("a reset and a wrap-around cost the passes across them, and times go on", () => {
  const at = 100 + 5 * PERIOD + 1; // within the sixth step's long dispatch
  const reset: Clock = (ms) => ms < at ? good(ms) : ns(ms - at + 7);
  const wrap: Clock = (ms) => (good(ms) + 2n ** 36n - ns(50_000 + at)) % 2n ** 36n;
  for (const clock of [reset, wrap]) {
    const device = analyse({ clock });
    assert.deepEqual(device.clock.issues, [{ kind: "reset", passes: 1, refused: true }]);
    assert.deepEqual([device.clock.resets, kernel(device, "long").calls], [1, STEADY - 1]);
    near(kernel(device, "long").total, LONG.ms * (STEADY - 1), 1e-3);
    assert.match(clockSentence(device.clock)!, /wrapped around or was reset once/);
  }
});

Deno.test("a coarse clock that wraps around or is reset keeps its batch times", () => {
  const step = 65_536;
  const at = 100 + 5 * PERIOD + 1; // within the sixth step's long dispatch
  const coarse = ticking(step);
  const reset: Clock = (ms) => ms < at ? coarse(ms) : ns(ms - at + 7) / BigInt(step) * BigInt(step);
  const wrap: Clock = (ms) => (coarse(ms) + 2n ** 36n - coarse(at)) % 2n ** 36n;
  for (const clock of [reset, wrap]) {
    const device = analyse({ clock });
    assert.deepEqual(kinds(device), ["coarse", "merged", "reset"]);
    assert.deepEqual([device.clock.resets, passesOf(device, "reset")], [1, 1]);
    const short = kernel(device, "short");
    assert.equal(short.timedBy, "batch");
    near(short.median, SHORT.ms, step / 1e6 / (RUN * SHORT.ms));
    assert.equal(kernel(device, "single").total, null);
  }
});

Deno.test("negative durations of a coarse clock are refused, and its batches count without them", () => {
  const step = 100_000;
  const device = analyse({
    clock: ticking(step),
    spoil: (pass, i) =>
      i % STEP.length === 0 && i > 0 && i < 3 * STEP.length ? { ...pass, begin: pass.end, end: pass.begin } : pass,
  });
  assert.deepEqual(device.clock.issues.filter(({ refused }) => refused), [{
    kind: "negative",
    passes: 2,
    refused: true,
  }]);
  const short = kernel(device, "short");
  assert.equal(short.timedBy, "batch");
  near(short.median, SHORT.ms, step / 1e6 / (RUN * SHORT.ms));
});

Deno.test("a clock whose ticks are not nanoseconds is converted", () => {
  const device = analyse({ clock: (ms) => ns(50_000 + ms) / 2n });
  near(kernel(device, "long").median, LONG.ms, 1e-2);
  near(device.account!.sum, STEP_MS, 1e-2);
});

Deno.test("a clock that stands still shows no times", () => {
  const device = analyse({ clock: () => good(0) });
  assert.deepEqual(device.clock.issues, [{ kind: "still", passes: STEPS * STEP.length, refused: true }]);
  assert.deepEqual([device.clock.usable, device.account], [false, null]);
});

Deno.test("passes after a clock has stopped are refused, and those before keep their times", () => {
  const stop = 100 + 6 * PERIOD - 0.5; // after the sixth step
  const device = analyse({ clock: (ms) => good(Math.min(ms, stop)) });
  assert.deepEqual(device.clock.issues, [{ kind: "still", passes: (STEPS - 6) * STEP.length, refused: true }]);
  assert.deepEqual([device.accountedSteps, kernel(device, "long").calls], [5, 5]);
  near(kernel(device, "long").total, LONG.ms * 5, 1e-3);
  assert.ok(clockSentence(device.clock)!.includes("not counted"), clockSentence(device.clock)!);
});

Deno.test("passes off the host's times are refused, on either side", () => {
  for (const off of [-200_000_000n, 200_000_000n]) {
    const device = analyse({ spoil: ({ begin, end, ...pass }) => ({ ...pass, begin: begin + off, end: end + off }) });
    assert.equal(kinds(device).join(), "disagrees");
    assert.equal(device.clock.usable, false);
  }
});

Deno.test("passes without timestamps are refused", () => {
  const device = analyse({ spoil: (pass, i) => i === 3 ? { ...pass, end: 0n } : pass });
  assert.deepEqual(device.clock.issues, [{ kind: "missing", passes: 1, refused: true }]);
});

Deno.test("reports have one line on a difficult clock, and a dash for unknown times", () => {
  const look = { color: false, columns: 140 };
  const render = (device: AttachedDevice) => {
    const result = {
      kind: "attach",
      schemaVersion: 1,
      devices: [device],
      complete: true,
      browser: null,
      notes: [],
    } as const;
    return [
      renderAttached(result, look, 10),
      renderAttachedMarkdown(result, "program"),
      renderAttachedHtml(result, "program"),
    ];
  };
  for (const text of render(analyse({ clock: ticking(65_536) }))) {
    assert.equal(text.match(/device(?:'|&#39;)s clock: ticks every/g)?.length, 1, text);
    assert.match(text, /single.*–/);
    assert.match(text, /batch/);
  }
  for (const text of render(analyse({}))) assert.doesNotMatch(text, /clock: |batch|–: /);
});

Deno.test("counts of the run are unknown if the program was killed after they were written", () => {
  const dispatches = (device: AttachedDevice) => device.kernels.map(({ dispatches }) => dispatches);
  assert.deepEqual(dispatches(analyse({})).sort(), [STEPS, STEPS, STEPS * RUN]);
  assert.deepEqual(dispatches(analyse({ stateTime: 100 + PERIOD })), [null, null, null]);
});

Deno.test("the page names the parts of a step beside the colours that they have in the bar", () => {
  const result = {
    kind: "attach",
    schemaVersion: 1,
    devices: [analyse({})],
    complete: true,
    browser: null,
    notes: [],
  } as const;
  const html = renderAttachedHtml(result, "program");
  const bar = [...html.matchAll(/<rect class="(part-\d)" x="[^>]*><title>([^:]+(?:: [^\d:]+)?): [^<]*<\/title>/g)];
  const table = [...html.matchAll(/<rect class="(part-\d)" width="10" height="10"\/><\/svg> ([^<]+)</g)];
  assert.deepEqual(table.map(([, color, part]) => [color, part]), bar.map(([, color, part]) => [color, part]));
  assert.deepEqual(table[0]!.slice(1), ["part-0", "kernels"]);
});
