import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { renderMatrix } from "../../../runtime/report/matrix/matrix.ts";
import type { LookOptions } from "../../../runtime/report/page.ts";
import type { Procedure, Result } from "../../../runtime/result/schema.ts";
import { bottleneck, comparison, judged, procedure } from "../judged_fixture.ts";
import {
  adapter,
  eventful,
  failed,
  metric,
  noMetrics,
  result,
  speedup as asSpeedup,
  variant,
} from "../result_fixture.ts";

/** The matrix with the notes of `--explain`. */
function explained(run: Result, look: LookOptions): string {
  return renderMatrix(run, { ...look, explain: true });
}

function linesOf(text: string): string[] {
  return text.split("\n");
}

Deno.test("the matrix shows a sink, an interruption and a failure", () => {
  const expected = `\
– no verdict: this run did not compare its blocks.
resnet-cifar10 · resnet20 · 272,474 parameters · batch 32 · seed 1
llvmpipe (LLVM 15.0.6, 256 bits) · software adapter: kernels run on the CPU
3 rounds · 10 steps per block · at least 3 warm-up steps

                             peak  final    loss
variant     images/s  ratio   MiB   loss   diff.  bound
────────────────────────────────────────────────────────
baseline   140 ±2.1%  ×1.00   312  1.732       0  device
workers†         133  ×0.95   312  1.742  +0.010  input
sink       152 ±0.5%  ×1.08   312  1.732       0  device
amp                –      –     –      –       –  –

             batch  reader  iter.                             device
ms per step   cost    cost    gap  forward  backward  update  busy %
────────────────────────────────────────────────────────────────────
baseline      229    12.3    13.1     70.1       140    4.25      94
workers†      229    12.3    13.1     70.1       140    4.25       –
sink          211*  <0.01*   0.31     70.1       140    4.25     100
amp             –       –       –        –         –       –       –

amp failed: The adapter "llvmpipe" has no shader-f16; run without amp, or choose another adapter
accuracy on test data (1,000 samples) after step 33: workers 40.0 %, sink 41.2 %
submits/waits/readbacks: baseline 30/30/3, workers 30/30/3, sink 3/3/3
runtime wait (Deno's sleep after each wait for the device), ms per step: baseline 0.04, workers
  0.04, sink 1.02
–  the variant failed: amp
–  interrupted before it was measured: device busy
*  amortised: time of a sink / its steps
†  interrupted: figures up to the interruption
±  half the range over the 3 blocks
×  speed relative to baseline
final loss: after 33 steps in every variant
`;
  assert.equal(explained(eventful(), { columns: 100, color: false }), expected);
  assert.equal(explained(eventful(), { columns: null, color: false }), expected, "without a terminal");
});

Deno.test("without explain the foot has only what changes how figures are read, and names the flag", () => {
  const wrapped = (run: Result) => renderMatrix(run, { columns: 100, color: false, flags: true });
  const foot = (text: string) => linesOf(text.slice(text.lastIndexOf("\n\n") + 2).trimEnd());
  const more = "--explain shows how this was measured and what the columns mean";
  assert.deepEqual(foot(wrapped(eventful())), [
    'amp failed: The adapter "llvmpipe" has no shader-f16; run without amp, or choose another adapter',
    "accuracy on test data (1,000 samples) after step 33: workers 40.0 %, sink 41.2 %",
    "–  the variant failed: amp",
    "–  interrupted before it was measured: device busy",
    "*  amortised: time of a sink / its steps",
    "†  interrupted: figures up to the interruption",
    more,
  ]);
  const software = { kind: "software-adapter", message: "software adapter: kernels share the cores" };
  const run = judged({ procedure: { ...procedure, warnings: [...procedure.warnings, software] } });
  assert.deepEqual(foot(wrapped(run)), [
    "invalid: amp: the loss up to step 32 is 12 % off, 10 % allowed",
    "unclear: both: it crosses the edge",
    "warning: the load average is 3.2 on 2 cores; other work slows this run",
    "warning: step times had not settled when the warm-up ended: sink (60 steps)",
    "–  not measured in this run: step median, step p95, step p99",
    more,
  ]);
  const all = explained(run, { columns: 100, color: false });
  for (const line of foot(wrapped(run)).slice(0, -1)) assert(linesOf(all).includes(line), line);
  assert(linesOf(all).includes(software.message), "which the head says otherwise");
  assert(!all.includes(more));
});

Deno.test("a bound by ablations is marked, and the legend explains the mark", () => {
  const run = result([variant("baseline", { bound: "input", bottleneck }), variant("other", { bound: "host" })]);
  const lines = linesOf(explained(run, { columns: 100, color: false }));
  assert(lines.some((line) => /^baseline .* input‡$/.test(line)), lines.join("\n"));
  assert(lines.some((line) => /^other .* host$/.test(line)));
  assert(lines.includes("‡  bound by ablations"));
  assert.doesNotMatch(explained(result([variant("baseline")]), { columns: 100, color: false }), /‡/);
});

Deno.test("no line exceeds the terminal's width, and dropped columns are named", () => {
  for (const result of [eventful(), judged()]) {
    for (const columns of [100, 80, 60, 40]) {
      const text = explained(result, { columns, color: true });
      for (const line of linesOf(text)) assert(stringWidth(line) <= columns, `${columns}: ${line}`);
    }
  }
  const narrow = explained(judged(), { columns: 60, color: false });
  assert.match(
    narrow,
    /^left out to fit 60 columns: p, peak memory, loss difference,\n {3}step p99, iteration gap, update$/m,
  );
  assert.doesNotMatch(narrow, /backward +update/);
  assert.doesNotMatch(explained(judged(), { columns: 100, color: false }), /left out/);
  const wide = result([variant("long-name.".repeat(12)), variant("b")]);
  assert.match(explained(wide, { columns: 130, color: false }), /^left out to fit 130 columns: /m);
});

Deno.test("without a terminal all columns are shown", () => {
  const text = explained(result([variant("amp-O0.loader-numWorkers-0.loader-batchSize-32.".repeat(3))]), {
    columns: null,
    color: false,
  });
  assert.match(text, /peak/);
  assert.doesNotMatch(text, /left out/);
});

Deno.test("a sweep's long name is broken at commas before columns are dropped, and cut last", () => {
  const names = ["amp=O0,loader.numWorkers=2,sink=0", "amp=O0,loader.numWorkers=2,sink=10"];
  const swept = result(names.map((name) => variant(name)));
  const narrow = linesOf(explained(swept, { columns: 70, color: false }));
  const row = narrow.findIndex((line) => line.startsWith("amp=O0, "));
  assert.deepEqual(narrow.slice(row, row + 3).map((line) => line.split(" ")[0]), [
    "amp=O0,",
    "loader.numWorkers=2,",
    "sink=0",
  ]);
  assert(!narrow.some((line) => line.startsWith("left out")));
  assert.match(explained(swept, { columns: 120, color: false }), /^amp=O0,loader\.numWorkers=2,sink=10 +140/m);
  assert.match(explained(swept, { columns: 32, color: false }), /^lo[^ ]*…[^ ]*2,$/m);
});

Deno.test("columns are one space apart where the terminal is too narrow for two", () => {
  const row = (columns: number) =>
    linesOf(explained(judged(), { columns, color: false })).find((line) => line.startsWith("sink  "));
  assert.match(row(100)!, /^sink {12}152 {2}×1\.08 {2}1\.06-1\.10 {2}faster /);
  assert.match(row(74)!, /^sink {11}152 ×1\.08 1\.06-1\.10 faster /);
});

Deno.test("colour follows the verdict and the bound, and changes no character", () => {
  const plain = explained(judged(), { columns: 100, color: false });
  const coloured = explained(judged(), { columns: 100, color: true });
  assert.equal(stripVTControlCharacters(coloured), plain);
  assert.equal(stripVTControlCharacters(plain), plain);
  const [green, red, yellow] = [32, 31, 33].map((code) => (text: string) => `\x1b[${code}m${text}\x1b[39m`);
  for (
    const [paint, ratio, verdict] of [[green, "×1.08", "faster"], [red, "×0.94", "slower"], [
      red,
      "×1.40",
      "invalid",
    ]] as const
  ) {
    assert(coloured.includes(paint!(ratio)), ratio);
    assert(coloured.includes(paint!(verdict)), verdict);
  }
  assert(coloured.includes(yellow!("unclear")));
  assert(!coloured.includes("m×1.00\x1b"), "the baseline is plain");
  assert(!explained(eventful(), { columns: 100, color: true }).includes("m×1.08\x1b"), "nor is an unjudged ratio");
  assert(explained(eventful(), { columns: 100, color: true }).includes(yellow!("input")));
});

Deno.test("the matrix shows verdicts and intervals, and the foot their reasons and the noise floor", () => {
  const text = explained(judged(), { columns: 100, color: false });
  const expected = `\
                                 95 %                  peak  final   loss
variant    images/s  ratio   interval  verdict      p   MiB   loss  diff.  bound
─────────────────────────────────────────────────────────────────────────────────
baseline  140 ±2.1%  ×1.00                              312  1.732      0  device
sink            152  ×1.08  1.06-1.10  faster   0.023   312  1.732      0  device
workers         132  ×0.94  0.93-0.95  slower   0.023   312  1.732      0  device
both            142  ×1.02  0.99-1.05  unclear   0.25   312  1.732      0  device
amp             196  ×1.40  1.30-1.50  invalid  0.023   312  1.732      0  device

             batch    step  step  step  reader  iter.                             device
ms per step   cost  median   p95   p99    cost    gap  forward  backward  update  busy %
`;
  assert(text.includes(expected), text);
  for (
    const line of [
      "invalid: amp: the loss up to step 32 is 12 % off, 10 % allowed",
      "unclear: both: it crosses the edge",
      "warning: the load average is 3.2 on 2 cores; other work slows this run",
      "warning: step times had not settled when the warm-up ended: sink (60 steps)",
      "outlier blocks (beyond Tukey's fences), not removed: baseline 1 mild of 8; none in 4 others",
      "probe (a fixed kernel, timed between rounds): 4.10 to 4.30 ms, 4.8 % slower over the run",
      "resumed after an interruption: once",
    ]
  ) assert(linesOf(text).includes(line), line);
  assert.match(text, /^8 of 20 rounds, every interval within ±2\.0 % · 10 steps per block/m);
  assert.match(
    text.replaceAll(/\s+/g, " "),
    / differences up to 2\.0 % count as none: the larger of measure\.minEffect and the noise floor, the 2\.0 % by which two/,
  );
});

Deno.test("the foot names the smallest possible p where the rounds are too few for a verdict", () => {
  const few = { pairs: 3, p: 0.25, adjustedP: 0.5, smallestP: 0.25, reason: "3 rounds are too few; 7 are needed" };
  const arm = (name: string) => variant(name, { verdict: "unclear", comparison: comparison(1.05, null, null, few) });
  const text = explained(result([variant("baseline"), arm("a"), arm("b")]), { columns: 100, color: false });
  assert.match(text, /^unclear: a, b: 3 rounds are too few; 7 are needed$/m);
  assert.match(text, /^differences up to 2\.0 % count as none \(measure\.minEffect\); baseline ran only once/m);
  assert.match(text, /^p: 3 rounds cannot give less than 0\.25, before correction for 2 variants$/m);
  assert.match(text, /^– {2}too few rounds: interval$/m);
  assert.doesNotMatch(explained(judged(), { columns: 100, color: false }), /cannot give/);
});

Deno.test("the foot names the geometric mean where it disagrees with the ratio", () => {
  const companion = { ratio: { value: 0.97, low: 0.8, high: 1.2 }, method: "geometric mean", disagrees: true };
  const of = (disagrees: boolean) => {
    const own = comparison(1.11, 1.08, 1.14, { reached: 0.969, pairs: 6, companion: { ...companion, disagrees } });
    const sink = variant("sink", { verdict: "faster", comparison: own });
    const text = explained(result([variant("baseline"), sink], { noiseFloor: 0.003 }), {
      columns: 100,
      color: false,
    });
    return text.replaceAll(/\s+/g, " ");
  };
  assert.match(
    of(true),
    / sink: the geometric mean over rounds is ×0\.97 \(0\.80-1\.20\), outside the interval: some blocks took far longer /,
  );
  assert.match(of(true), / interval: 95 % confidence interval of the ratio, 97 % with 6 rounds, by bootstrap-t /);
  assert.doesNotMatch(of(false), /geometric mean/);
});

Deno.test("the foot of a large sweep is of bounded length, and names a fact that all variants share once", () => {
  const { metrics } = variant("baseline");
  const many = Array.from({ length: 64 }, (_, i) =>
    variant(`v${i}`, {
      metrics: { ...metrics, runtimeWait: metric(i) },
      verdict: "unclear",
      comparison: comparison(1, 0.9, 1.1, { reason: `reason ${i}` }),
    }));
  const text = explained(result([variant("baseline"), ...many]), { columns: 100, color: false });
  assert.match(
    text,
    /^unclear: v4: reason 4\nalso unclear: v5, v6, [^]* and 47 more; the JSON report has\n {2}the reasons$/m,
  );
  assert.match(text, /^submits\/waits\/readbacks: 30\/30\/3 for each$/m);
  assert.match(text, /^runtime wait .*baseline 0\.04, v0 0\.00, v1\s+1\.00,[^]*? v10 10\.0 and 53 more$/m);
});

Deno.test("two variants with the same settings are reported without a warning", () => {
  const warnings = [{ kind: "alias", message: '"b" is set up exactly as "a"' }];
  const text = explained(judged({ procedure: { ...procedure, warnings } }), { columns: 100, color: false });
  assert.match(text, /^"b" is set up exactly as "a"$/m);
});

Deno.test("a warning about a cache of times appears once where variants share the cache", () => {
  const warnings = ["t.json cannot be read (Is a directory)"];
  const autotune = { ops: [], hits: 0, spent: 1000, before: 0, after: 0, clock: "device", cache: "t.json" } as const;
  const tuned = ["a", "b"].map((name) => variant(name, { autotune: { ...autotune, ops: [], warnings } }));
  const lines = linesOf(explained(result(tuned), { columns: 100, color: false }));
  const about = lines.filter((line) => /t\.json|autotune/.test(line));
  assert.deepEqual(about, [
    "warning: t.json cannot be read (Is a directory)",
    "autotune of a: 0 ops, 0 from the cache, 0 timed (0 candidates) in 1.00 s",
    "autotune of b: 0 ops, 0 from the cache, 0 timed (0 candidates) in 1.00 s",
  ]);
});

Deno.test("the head says how many rounds ran, and why the run ended early", () => {
  const head = (fields: Partial<Procedure>) =>
    linesOf(explained(judged({ procedure: { ...procedure, ...fields } }), { columns: 100, color: false }))[3]!
      .split(" · ")[0];
  assert.equal(head({ planned: 8, stoppedBy: "rounds" }), "8 rounds");
  assert.equal(head({ stoppedBy: "time", maxTime: 60 }), "8 of 20 rounds, time limit reached (60.0 s)");
  assert.equal(head({ stoppedBy: "interrupted" }), "8 of 20 rounds, interrupted");
  assert.equal(head({ stoppedBy: "failed" }), "8 of 20 rounds, stopped by a failure");
});

Deno.test("the foot shows the number of set-ups, their time and the spread by level, and what a single one cannot tell", () => {
  const foot = (setups: typeof procedure.setups, spread = { setups: 0.012, rounds: null as number | null }) => {
    const own = comparison(1.11, 1.08, 1.14, { spread });
    const sink = variant("sink", { verdict: "faster", comparison: own });
    const shown = { ...procedure, setups, secondArm: null };
    const made = result([variant("baseline"), sink], { procedure: shown });
    return linesOf(explained(made, { columns: 100, color: false })).join("\n").replaceAll("\n  ", " ");
  };
  const { setups } = procedure;
  assert.match(
    foot(setups),
    /^set-ups: 8 of each variant, 3\.1 % of the time; speed-ups spread by up to ±1\.2 % between set-ups of one round each$/m,
  );
  assert.match(
    foot(setups, { setups: 0.02, rounds: 0.01 }),
    /±2\.0 % between set-ups, ±1\.0 % between the rounds of one$/m,
  );
  assert.match(foot({ count: 1, time: null, share: null }), /^set-ups: one of each variant: a lasting difference/m);
});

Deno.test("the legend names the test: over rounds, over set-ups, or a model of few set-ups", () => {
  const legend = (fields: Partial<ReturnType<typeof comparison>>) => {
    const sink = variant("sink", { verdict: "faster", comparison: comparison(1.11, 1.08, 1.14, fields) });
    return explained(result([variant("baseline"), sink]), { columns: 200, color: false });
  };
  assert.match(legend({ setups: 8, pairs: 8 }), /p: exact paired test over rounds/);
  assert.match(legend({ setups: 8, pairs: 16 }), /p: exact paired test over set-ups/);
  const method = "Student's t over 4 set-ups, a model";
  assert.match(legend({ setups: 4, smallestP: null as never, method }), /p: Student's t over 4 set-ups, a model; more/);
});

Deno.test("set-up, the first step and the warm-up are reported separately from the blocks", () => {
  const { metrics } = variant("baseline");
  const base = variant("baseline", { metrics: { ...metrics, setup: metric(512), firstStep: metric(1210) } });
  const text = explained(result([base, variant("sink")], { procedure }), { columns: 100, color: false });
  assert.match(
    text,
    /^before the measured blocks \(set-up\/first step\/warm-up steps\): baseline 0\.51 s\/1\.21 s\/13$/m,
  );
});

Deno.test("without timestamp queries the device's columns are empty, and one line says why", () => {
  const { metrics } = variant("baseline");
  const device = { iterationGap: null, forward: null, backward: null, update: null, deviceBusy: null };
  const plain = result([variant("baseline", { metrics: { ...metrics, ...device } })]);
  plain.environment.adapter = { ...adapter, fallback: false, features: [] };
  const text = explained(plain, { columns: 100, color: false });
  assert.match(text, /^llvmpipe \(LLVM 15.0.6, 256 bits\)$/m);
  assert.match(text, /^baseline +140 ±2.1% +×1.00 +312 +1.732 +device$/m);
  assert.match(text, /^baseline +229 +12.3 +– +– +– +– +–$/m);
  assert.match(
    text,
    /^– {2}the adapter has no timestamp queries: iteration gap, forward, backward, update, device busy$/m,
  );
  assert.doesNotMatch(text, /loss diff|amortised|interrupted|speed relative|verdict/);
});

Deno.test("the matrix of a loader shows only its metrics", () => {
  const loader = variant("baseline", {
    config: { model: null, loader: { batchSize: 32 } },
    parameters: null,
    planFingerprint: null,
    metrics: { ...noMetrics, ips: metric(2810, "images/s"), speedup: asSpeedup(1), batchCost: metric(11.4) },
    memory: null,
    finalLoss: null,
    counts: null,
    bound: "input",
  });
  const run = result([loader]);
  run.environment.adapter = null;
  const text = explained(run, { columns: 100, color: false });
  assert.match(text, /^resnet-cifar10 · batch 32 · seed 1\nno device was used$/m);
  assert.match(text, /^baseline +2810 +×1.00 +– +– +input$/m);
  assert.match(text, /^baseline +11.4 +– +– +– +– +– +–$/m);
  assert.match(text, /^– {2}not measured in this run: reader cost$/m);
  assert.match(
    text,
    /^– {2}no model, only the loader was measured: peak memory, final loss, iteration gap, forward,/m,
  );
});

Deno.test("without an optimizer, backward and update are omitted", () => {
  const { metrics } = variant("baseline");
  const text = explained(result([variant("baseline", { metrics: { ...metrics, backward: null, update: null } })]), {
    columns: 100,
    color: false,
  });
  assert.match(text, /^– {2}not part of a step \(no optimizer\): backward, update$/m);
});

Deno.test("variants that never started and runs without a success are reported", () => {
  const begun = variant("late", { status: "interrupted", metrics: noMetrics, blocks: [], bound: null });
  const text = explained(result([variant("baseline"), begun]), { columns: 100, color: false });
  assert.match(text, /^– {2}interrupted before any block was measured: late$/m);
  const data = { unit: "images" };
  const early = result([{ ...begun, config: { data }, finalLoss: { step: 0, value: 1 } }]);
  const unmeasured = explained(early, { columns: 100, color: false });
  assert.match(unmeasured, /^variant +images\/s /m, "as the data calls its samples");
  assert.match(unmeasured, /^final loss: after 1 step$/m);
  const lost = result([failed("a", "Lost", 3), failed("b", "Other", 2), failed("c", "Lost", 3)]);
  assert.match(explained(lost, { columns: 100, color: false }), /^a, c failed: Lost\nb failed: Other\n–/m);
  const none = explained(result([failed("a", "No", 3), failed("b", "Nor this", 2)]), { columns: 100, color: false });
  assert.match(none, /^a failed: No\nb failed: Nor this\n– {2}the variant failed: a, b$/m);
});

Deno.test("losses are compared only at the same step, and diverged ones are printed", () => {
  const diverged = variant("amp", { finalLoss: { step: 32, value: "NaN" }, overflows: 4 });
  const longer = variant("sink", { finalLoss: { step: 39, value: 1.2 } });
  const text = explained(result([variant("baseline"), diverged, longer]), { columns: 100, color: false });
  assert.match(text, /^amp .* NaN +NaN +device$/m);
  assert.match(text, /^sink .* 1.200 +– +device$/m);
  assert.match(text, /^– {2}the baseline has no loss at the same step: loss difference$/m);
  assert.match(text, /^steps skipped after a gradient overflow: amp 4$/m);
});

Deno.test("settings that differ between variants are all named in the head", () => {
  const large = variant("large", {
    config: { loader: { batchSize: 64 }, measure: { steps: 10, rounds: 3 }, epochs: 1 },
  });
  const [, first, , third] = linesOf(
    explained(result([variant("baseline"), large]), { columns: 100, color: false }),
  );
  assert.equal(first, "resnet-cifar10 · resnet20 · 272,474 parameters · batch 32, 64 · seed 1");
  assert.equal(third, "3 rounds · 10 steps per block · 1 epoch, one block each · at least 3 warm-up steps");
});

Deno.test("data other than images has a separate unit", () => {
  const { metrics } = variant("baseline");
  const text = explained(result([variant("baseline", { metrics: { ...metrics, ips: metric(5120, "tokens/s") } })]), {
    columns: 100,
    color: false,
  });
  assert.match(text, /^variant +tokens\/s +ratio/m);
});

Deno.test("the foot says why inference has no final loss, and a run of the loader no bound", () => {
  const of = (name: string, fields: Parameters<typeof variant>[1], config: Record<string, unknown>) => {
    const made = variant(name, fields);
    return { ...made, config: { ...made.config, ...config } as typeof made.config };
  };
  const text = explained(
    result([
      of("infer", { finalLoss: null, bound: "none" }, { mode: "infer" }),
      of("loader", { finalLoss: null, bound: null, parameters: null }, { model: null }),
    ]),
    { columns: null, color: false },
  );
  assert.match(text, /– {2}nothing is trained, so there is no loss: final loss\n/);
  assert.match(text, /– {2}waiting for batches takes less than half of a step, and the device was not timed: bound\n/);
  assert.match(text, /^infer .* none$/m);
});

Deno.test("a baseline whose last loss is not a number is reported", () => {
  const of = (loss: number | "NaN") =>
    explained(result([variant("base", { losses: [2.3, loss] }), variant("sink")]), { columns: null, color: false });
  assert.match(of("NaN"), /^invalid: base: the baseline's last loss is NaN, nothing can be compared with it$/m);
  assert(!of(1.2).includes("the baseline's last loss"));
});

Deno.test("if the baseline failed, the foot gives that as the reason for missing comparisons", () => {
  const { metrics } = variant("sink");
  const sink = variant("sink", { metrics: { ...metrics, speedup: null } });
  const text = explained(result([failed("baseline", "No", 3), sink]), { columns: 100, color: false });
  assert.match(text, /^– {2}the baseline failed: ratio, loss difference$/m);
  assert.doesNotMatch(text, /not measured in this run/);
});

Deno.test("the foot says how many samples of an evaluation were replaced", () => {
  const evaluation = (skipped: number) => ({ split: "test", step: 9, samples: 100, loss: 1, accuracy: 0.5, skipped });
  const foot = (skipped: number) =>
    explained(result([variant("baseline", { evaluations: [evaluation(skipped)] })]), {
      columns: null,
      color: false,
    });
  assert.match(
    foot(2),
    /accuracy on test data \(100 samples\) after step 9: baseline 50\.0 % \(2 samples skipped and\s+replaced\)/,
  );
  assert.match(foot(1), /50\.0 % \(1 sample skipped and\s+replaced\)/);
  assert.doesNotMatch(foot(0), /skipped/);
});
