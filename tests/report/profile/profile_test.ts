import assert from "node:assert/strict";
import { GROUPINGS } from "../../../runtime/analysis/op_groups.ts";
import { type ProfileOptions, renderProfile } from "../../../runtime/report/profile/profile.ts";
import type { OpRecord, PhaseSplit, Profile } from "../../../runtime/result/schema.ts";
import { peaksOf } from "../../support/peaks.ts";
import { op, ops, profile, profiled, profiledResult, split } from "../profile_fixture.ts";
import { adapter, failed, noMetrics, result } from "../result_fixture.ts";

const all: ProfileOptions = {
  verbosity: 2,
  groupBy: ["type"],
  sort: "order",
  top: null,
  columns: null,
  color: false,
};

/** The part of the report that begins with `title`. */
function part(text: string, title: string): string {
  const found = text.split("\n\n").find((lines) => lines.startsWith(title));
  assert(found !== undefined, `no ${title} in\n${text}`);
  return found.trimEnd();
}

Deno.test("verbosity 0 prints nothing", () => {
  assert.equal(renderProfile(profiledResult(), { ...all, verbosity: 0 }), "");
});

Deno.test("a brief profile gives each op one line", () => {
  const rows = (brief: boolean) => {
    const lines = part(renderProfile(profiledResult(), { ...all, sort: "total", top: 3, brief }), "Ops: ").split("\n");
    const first = lines.findIndex((line) => line.startsWith("─")) + 1;
    return lines.slice(first, lines.findIndex((line) => line.startsWith("make: "))).length;
  };
  assert.equal(rows(true), 3);
  assert(rows(false) > 3);
});

Deno.test("verbosity 1 prints phases and the step trace", () => {
  const expected = `
baseline: 10 measured steps after 3 warm-up steps

Forward Propagation Time : 0.0036 sec
Backward Propagation Time : 0.004 sec
Update Time : 0.001 sec

Step trace: ms, over 10 measured steps
time           mean   min  median   p95   max  over steps
─────────────────────────────────────────────────────────
batch cost     10.6  10.0    10.0  13.3  16.0  ▁▁▁▁▁▁▁█▁▁
reader cost    0.50  0.50    0.50  0.50  0.50  ▁▁▁▁▁▁▁▁▁▁
iteration gap  0.50  0.50    0.50  0.50  0.50  ·▁▁▁▁·▁▁▁▁
forward        3.60  3.00    3.00  6.30  9.00  ▁▁▁▁▁▁▁█▁▁
backward       4.00  4.00    4.00  4.00  4.00  ▁▁▁▁▁▁▁▁▁▁
update         1.00  1.00    1.00  1.00  1.00  ▁▁▁▁▁▁▁▁▁▁
batch cost: unusually long in step 10 (1.60 times the median)
forward: unusually long in step 10 (3.00 times the median)
bars: from the smallest to the largest value, or to 10 % above the smallest; a bar for several steps
   shows the longest
device clock: 1.000000 ns per tick ±2e-6, aligned with the host's within 0.15 ms, resolution 40.0 ns
cost of profiling, of the batch cost: 0.4 ±0.2 % for phases, 7.0 ±1.0 % for every dispatch
`;
  assert.equal(renderProfile(profiledResult(), { ...all, verbosity: 1 }), expected);
});

Deno.test("the table of ops has numbers in the row, text below and accuracy at the end", () => {
  const text = part(renderProfile(profiledResult(), { ...all, columns: 100, sort: "total", top: 3 }), "Ops: ");
  assert.equal(
    text,
    `\
Ops: 3 of 9 by total, over 5 profiled steps
                         median  mean   max   min  total  share  GFLOP    GB  make  first
op                calls      ms    ms    ms    ms     ms      %     /s    /s    ms     ms
─────────────────────────────────────────────────────────────────────────────────────────
featur…ight_grad      5    3.00  3.00  4.50  2.25   15.0     38   9.33  0.67  20.0      –
    features.conv1/conv2d_weight_grad · backward · conv2d_weight_grad · f32 · 4x8 -> 4x8 ·
      conv2d.weight_grad · 28.0 MFLOP · 1.91 MiB
features.conv1        5    2.00  2.00  3.00  1.50   10.0     25   14.0  1.25   120   6.00
    forward · conv2d · f32 · 32x3x32x32 16x3x3x3 16 -> 32x16x32x32 · conv2d.forward · 28.0 MFLOP ·
      2.38 MiB
update                5    1.00  1.00  1.50  0.75   5.00     13   1.00  2.00  20.0      –
    update · adam · f32 · 4x8 -> 4x8 · adam.f32 · 1.00 MFLOP · 1.91 MiB
make: time to create the pipelines of the op; first: time of its first run, alone
ops + residual = phase, medians in ms per profiled step: forward 3.00 + 0.10 = 3.10; backward 4.00 +
   0.05 = 4.05; update 1.00 + 0.00 = 1.00
residual: forward 3.2 %, backward 1.2 %, update 0.0 % · doubtful timestamps: 1 zero, 2 overlapping ·
   device clock: 1.000000 ns per tick ±2e-6, aligned with the host's within 0.15 ms, resolution 40.0
   ns
cost of profiling, of the batch cost: 0.4 ±0.2 % for phases, 7.0 ±1.0 % for every dispatch`,
  );
});

Deno.test("ops that run in place, are fused or take several dispatches are marked", () => {
  const text = renderProfile(profiledResult(), all);
  assert.match(text, /forward · relu · f32 · 4x8 -> 4x8 · relu\.forward · in place · /);
  assert.match(text, /32x256 10x256 -> 32x10 · linear\.forward · fuses fc, fc_bias · /);
  assert.match(text, /32x10 32:i32 -> scalar · /);
  const dispatches =
    /bias_grad\.forward · 1\.00 MFLOP · 1\.91 MiB · 2\s+dispatches: bias_grad\.forward 0\.13 ms, \S+ 0\.13 ms$/m;
  assert.match(text, dispatches);
});

Deno.test("a residual above 5 % is named with its cause", () => {
  const lines = (more: Partial<PhaseSplit>) => {
    const times = {
      interval: 10,
      ops: 8,
      residual: 2,
      gaps: { count: 12, usual: 1.4, longest: { ms: 1.5, before: "fc" } },
      ...more,
    };
    const phases = [split("forward", times), split("update", { interval: 1, ops: 0.96, residual: 0.04 })];
    const text = renderProfile(profiledResult({ profile: { ...profile, phases } }), { ...all, columns: null });
    const whole = text.replaceAll("\n   ", " ").split("\n");
    return [...new Set(whole.filter((line) => line.startsWith("residual of")))];
  };
  const causes: [Partial<PhaseSplit>, string][] = [
    [
      { cause: "timestamps", measured: 8.1 },
      "12 gaps between kernels, which are timed one by one; the measured steps do not have them (8.10 ms)",
    ],
    [{ cause: "launches", measured: 9.9 }, "12 gaps between kernels, which the measured steps have too (9.90 ms)"],
    [{ cause: "stall" }, "one gap of 1.50 ms before fc, far longer than the others"],
    [{ cause: "submits" }, "gaps between submits, since a step has more dispatches than a query set holds"],
    [{}, "12 gaps between kernels; the measured steps' phases were not timed"],
  ];
  for (const [more, cause] of causes) assert.deepEqual(lines(more), [`residual of forward, 20 %: ${cause}`]);
});

Deno.test("layers include the layers within them, and each grouping has a table", () => {
  const text = renderProfile(profiledResult(), { ...all, groupBy: GROUPINGS });
  for (const by of GROUPINGS) part(text, `Ops by ${by}, over 5 profiled steps`);
  const layers = part(text, "Ops by layer").split("\n").slice(1, 10).join("\n");
  assert.equal(
    layers,
    `\
                              per step  mean  max call  total  share  GFLOP    GB
layer             ops  calls        ms    ms        ms     ms      %     /s    /s
─────────────────────────────────────────────────────────────────────────────────
features            3     15      5.25  5.25      4.50   26.3     66   10.8  1.24
  features.conv1    2     10      5.00  5.00      4.50   25.0     63   11.2  0.90
  features.relu1    1      5      0.25  0.25      0.38   1.25    3.1   2.10  8.00
fc                  3     15      1.25  1.25      0.75   6.25     16   2.40  4.80
loss                2     10      0.50  0.50      0.38   2.50    6.3      –  8.00
(no layer)          1      5      1.00  1.00      1.50   5.00     13   1.00  2.00`,
  );
  const short = renderProfile(profiledResult(), { ...all, top: 2, sort: "name" });
  assert.match(part(short, "Ops by type, 2 of 9"), /^adam .*\nbias_grad /m);
});

Deno.test("tables of host work, copies, memory, CPU and ranges are printed", () => {
  const text = renderProfile(profiledResult(), all);
  assert.equal(
    part(text, "Host"),
    `\
Host: ms over 10 measured steps, on the host's clock
work          calls  total  mean   min   max  per step  share %
───────────────────────────────────────────────────────────────
load dataset     10   5.00  0.50  0.25  1.00      0.50      4.6
let data         10   2.00  0.20  0.10  0.50      0.20      1.9
encode           10   1.00  0.10  0.05  0.20      0.10      0.9
submit           10   1.00  0.10  0.05  0.20      0.10      0.9
wait             10   80.0  8.00  7.00  14.0      8.00       74
monitor loss      2   4.00  2.00  1.00  3.00      0.40        –
share: of the blocks' wall time; workers run in parallel; losses read asynchronously are not
   included
generate data: –, no layer draws random numbers
cost of profiling, of the batch cost: 0.4 ±0.2 % for phases, 7.0 ±1.0 % for every dispatch`,
  );
  assert.match(part(text, "Copies"), /^host to device +20 +4\.00 +100 +2\.00 +33 +2\.10 +let data$/m);
  assert.match(part(text, "Copies"), /writeBuffer has no device time/);
  assert.equal(
    part(text, "Memory").split("\n").slice(0, 11).join("\n"),
    `\
Memory over a step: peak while features.conv1 runs
             at peak  share  planned
class            MiB      %      MiB  over the ops of a step
────────────────────────────────────────────────────────────
parameters      1.00    6.1     1.00  ███
gradients       1.00    6.1     1.00  ███
optimizer       2.00     12     2.00  ███
activations     4.00     24     12.0  ▃█▁
workspace       8.00     48     8.00  █▁▁
feed            0.50    3.0     0.50  ███
all             16.5    100     18.0  ██▃`,
  );
  assert.match(
    part(text, "CPU"),
    /^CPU: .* during 5 profiled steps\n(?:.*\n){2}cpu0 +97 +–\ndeno 4711 +50 +2\.0\n/,
  );
  const threads = profile.cpu.filter(({ kind }) => kind === "thread");
  const short = renderProfile(profiledResult({ profile: { ...profile, cpu: threads } }), all);
  assert.match(part(short, "CPU"), /^cores: –, the steps were shorter than /m);
  assert.match(
    part(text, "Ranges"),
    /^features +device +forward +5 +10 .*\n {2}stem +device +forward +5 +5 .*\ncheckpoint +host +– +1 +– /m,
  );
});

Deno.test("a stalled op is named, and is not the largest share", () => {
  const stalled = op("fc1", "linear", 1, { mean: 36, total: 180, max: 176, share: 0.25 });
  const text = renderProfile(profiledResult({ ops: [stalled, op("conv", "conv2d", 3, { share: 0.75 })] }), all);
  assert.match(part(text, "Ops: "), /^fc1 +5 +1\.00 +36\.0 +176 .* 25 /m);
  assert.match(part(text, "Ops: "), /^stalled: fc1 176 ms once, median 1\.00 ms/m);
  assert.doesNotMatch(part(text, "Ops: "), /conv 4/);
});

Deno.test("times of short ops are in microseconds", () => {
  const text = renderProfile(profiledResult({ ops: [op("a", "relu", 0.0042)] }), all);
  assert.match(text, /^op +calls +us +us +us +us /m);
  assert.match(text, /^a +5 +4\.20 +4\.20 +6\.30 +3\.15 +21\.0 /m);
});

Deno.test("ops that ran but were not timed have no calls", () => {
  const text = renderProfile(profiledResult({ ops: [op("a", "relu", null)] }), all);
  assert.match(part(text, "Ops: "), /^a +– +– +– +– +– /m);
  assert.match(part(text, "Ops by type"), /^relu +1 +– +– /m);
});

Deno.test("with the adapter's peaks, ops show their share of the attainable throughput", () => {
  const run = profiledResult();
  run.roofline = { peaks: peaksOf(1e11, 1e10), steps: [] };
  const text = renderProfile(run, all);
  assert.match(part(text, "Ops: "), /^op .* {2}roof|GB +roof/m);
  assert.match(part(text, "Ops: "), / 2\.38 MiB · compute-bound$/m);
  assert.match(part(text, "Roofline"), /\ncost of profiling/);
  for (const table of ["Ops: ", "Roofline"]) {
    assert.match(
      part(text, table).replaceAll(/\n +/g, " "),
      /^peaks of this adapter: f32 100 GFLOP\/s, copy 10.0 GB\/s; measured 2026-01-02 .*, other load 0.0 %, spread 1.0 %$/m,
    );
  }
  run.roofline.peaks.copy.load = 0.6;
  assert.match(
    renderProfile(run, all).replaceAll(/\n +/g, " "),
    /other load 0.0 to 60 %, .*; not quiet, .*tacho peaks/,
  );
});

Deno.test("columns that do not fit the terminal are named", () => {
  const narrow = renderProfile(profiledResult(), { ...all, columns: 60 });
  assert.match(narrow, /left out to fit 60 columns: pipeline set-up, first dispatch/);
  assert.doesNotMatch(renderProfile(profiledResult(), all), /left out/);
});

Deno.test("variants that failed or have no ops are reported", () => {
  const untimed = profiled("plain", { ops: [], profile: { ...profile, phases: [], ops: [] } as Profile });
  const loader = profiled("loader", { ops: [], parameters: null, profile: null, metrics: noMetrics });
  const run = result([failed("amp", "no shader-f16", 3), untimed, loader]);
  run.environment.adapter = { ...adapter, features: [] };
  const text = renderProfile(run, all);
  assert.match(text, /^amp: failed: no shader-f16$/m);
  assert.match(text, /^The adapter has no timestamp queries: device times are unknown$/m);
  assert.match(text, /^Ops: –, the adapter reported no op times$/m);
  assert.match(text, /^Ops: –, no model, only the loader was measured$/m);
  assert.match(text, /^cost of profiling: –, no steps were profiled$/m);
});

Deno.test("phases that were not timed print as –", () => {
  const [block] = profiled("a").blocks;
  const steps = block!.steps.map((step) => ({
    ...step,
    forward: null,
    backward: null,
    update: null,
    iterationGap: null,
  }));
  const text = renderProfile(profiledResult({ blocks: [{ ...block!, steps }] }), { ...all, verbosity: 1 });
  assert.match(text, /^Forward Propagation Time : – sec$/m);
  assert.match(text, /^forward +– +– +– +– +– +–$/m);
});

function hostTable(more: readonly OpRecord[]): string {
  const result = profiledResult({ ops: [...ops, ...more] });
  return renderProfile(result, { ...all, columns: 100, groupBy: [] });
}

Deno.test("generating random data has a row in the host's table, with its device time", () => {
  const text = hostTable([op("drop1", "dropout", 0.5, { kernel: "dropout.f32" }), op("drop2", "dropout", 0.25)]);
  assert.match(text, /^generate data \(device\) +– +– +– +– +– +0\.75 +–$/m);
  assert.match(text, /generate data: device time of drop1, drop2 in the profiled steps/);
});

Deno.test("an untimed draw has no measurements, and a model without draws has no row", () => {
  assert.match(hostTable([op("drop1", "dropout", null)]), /^generate data \(device\)( +–){7}$/m);
  const none = hostTable([]);
  assert.doesNotMatch(none, /\(device\)/);
  assert.match(none, /generate data: –, no layer draws random numbers/);
});

Deno.test("random data is found in fused kernels, but not in gradients", () => {
  const text = hostTable([
    op("fused", "elementwise", 0.5, { roles: ["random"] }),
    op("grad", "dropout_grad", 0.25, { phase: "backward" }),
  ]);
  assert.match(text, /generate data: device time of fused in the profiled steps/);
});
