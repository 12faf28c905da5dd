import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import type { Procedure } from "../../../runtime/result/schema.ts";
import { judged, procedure } from "../judged_fixture.ts";
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
import { explained, linesOf } from "./explained.ts";

Deno.test("the matrix shows a sink, an interruption and a failure", () => {
  const expected = `\
resnet-cifar10 · resnet20 · 272,474 parameters · batch 32 · seed 1
llvmpipe (LLVM 15.0.6, 256 bits) · software adapter: kernels run on the CPU
3 rounds · 10 steps per block · at least 3 warm-up steps

                             peak  loss at    loss
variant     images/s  ratio   MiB  step 33   diff.  bound
──────────────────────────────────────────────────────────
baseline   140 ±0.0%  ×1.00   312    1.732       0  device
workers†         133  ×0.95   312    1.742  +0.010  input
sink       152 ±0.0%  ×1.08   312    1.732       0  device
amp                –      –     –        –       –  –

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
±  half the interquartile range over the 3 blocks
×  speed relative to baseline
final loss: after 33 steps in every variant

– no verdict: this run did not compare its blocks.
`;
  assert.equal(explained(eventful()), expected);
  assert.equal(explained(eventful(), { columns: null }), expected, "without a terminal");
});

Deno.test("columns that do not fit the terminal are named", () => {
  const narrow = explained(judged(), { columns: 60 });
  assert.match(
    narrow,
    /^left out to fit 60 columns: p, peak memory, loss difference,\n {3}step p99, iteration gap, update$/m,
  );
  assert.doesNotMatch(narrow, /backward +update/);
  assert.doesNotMatch(explained(judged()), /left out/);
  const wide = result([variant("long-name.".repeat(12)), variant("b")]);
  assert.match(explained(wide, { columns: 130 }), /^left out to fit 130 columns: /m);
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
  const narrow = linesOf(explained(swept, { columns: 70 }));
  const row = narrow.findIndex((line) => line.startsWith("amp=O0, "));
  assert.deepEqual(narrow.slice(row, row + 3).map((line) => line.split(" ")[0]), [
    "amp=O0,",
    "loader.numWorkers=2,",
    "sink=0",
  ]);
  assert(!narrow.some((line) => line.startsWith("left out")));
  assert.match(explained(swept, { columns: 120 }), /^amp=O0,loader\.numWorkers=2,sink=10 +140/m);
  assert.match(explained(swept, { columns: 32 }), /^lo[^ ]*…[^ ]*2,$/m);
});

Deno.test("columns are one space apart where the terminal is too narrow for two", () => {
  const row = (columns: number) =>
    linesOf(explained(judged(), { columns, color: false })).find((line) => line.startsWith("sink  "));
  assert.match(row(100)!, /^sink {12}152 {2}×1\.08 {2}1\.06-1\.10 {2}faster /);
  assert.match(row(74)!, /^sink {11}152 ×1\.08 1\.06-1\.10 faster /);
});

Deno.test("colour follows the verdict and the bound, and changes no character", () => {
  const plain = explained(judged());
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
  const text = explained(judged());
  const expected = `\
                                 95 %                  peak  loss at   loss
variant    images/s  ratio   interval  verdict      p   MiB  step 33  diff.  bound
───────────────────────────────────────────────────────────────────────────────────
baseline  140 ±0.2%  ×1.00                              312    1.732      0  device
sink            152  ×1.08  1.06-1.10  faster   0.023   312    1.732      0  device
workers         132  ×0.94  0.93-0.95  slower   0.023   312    1.732      0  device
both            142  ×1.02  0.99-1.05  unclear   0.25   312    1.732      0  device
amp             196  ×1.40  1.30-1.50  invalid  0.023   312    1.732      0  device

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

Deno.test("the head says how many rounds ran, and why the run ended early", () => {
  const head = (fields: Partial<Procedure>) =>
    linesOf(explained(judged({ procedure: { ...procedure, ...fields } })))[2]!
      .split(" · ")[0];
  assert.equal(head({ planned: 8, stoppedBy: "rounds" }), "8 rounds");
  assert.equal(head({ stoppedBy: "time", maxTime: 60 }), "8 of 20 rounds, time limit reached (60.0 s)");
  assert.equal(head({ stoppedBy: "interrupted" }), "8 of 20 rounds, interrupted");
  assert.equal(head({ stoppedBy: "failed" }), "8 of 20 rounds, stopped by a failure");
});

Deno.test("set-up, the first step and the warm-up are reported separately from the blocks", () => {
  const { metrics } = variant("baseline");
  const base = variant("baseline", { metrics: { ...metrics, setup: metric(512), firstStep: metric(1210) } });
  const text = explained(result([base, variant("sink")], { procedure }));
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
  const text = explained(plain);
  assert.match(text, /^llvmpipe \(LLVM 15.0.6, 256 bits\)$/m);
  assert.match(text, /^baseline +140 ±0.0% +×1.00 +312 +1.732 +device$/m);
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
  const text = explained(run);
  assert.match(text, /^resnet-cifar10 · batch 32 · seed 1\nno device was used$/m);
  assert.match(text, /^baseline +2810 +×1.00 +– +– +input$/m);
  assert.match(text, /^baseline +11.4 +– +– +– +– +– +–$/m);
  assert.match(text, /^– {2}not measured in this run: reader cost$/m);
  assert.match(
    text,
    /^– {2}no model, only the loader was measured: peak memory, final loss, iteration gap, forward,/m,
  );
});

Deno.test("losses that programs report are compared, and columns of losses are left out without any", () => {
  const program = (name: string, value: number | null) =>
    variant(name, {
      config: { ...variant(name).config, mode: "program" },
      ...{ parameters: null, memory: null, counts: null },
      finalLoss: value === null ? null : { step: 9, value },
    });
  const look = { columns: 100 };
  const mixed = explained(result([program("baseline", 2), program("b", 2.5), program("c", null)]), look);
  assert.match(mixed, /^baseline .* 2\.000 +0$/m);
  assert.match(mixed, /^b .* 2\.500 +\+0\.500$/m);
  assert.match(mixed, /^– {2}the program reports no loss: final loss, loss difference$/m);
  const without = explained(result([program("baseline", null), program("b", null)]), look);
  assert.doesNotMatch(without, /loss/);
});

Deno.test("without an optimizer, backward and update are omitted", () => {
  const { metrics } = variant("baseline");
  const text = explained(result([variant("baseline", { metrics: { ...metrics, backward: null, update: null } })]));
  assert.match(text, /^– {2}not part of a step \(no optimizer\): backward, update$/m);
});

Deno.test("variants that never started and runs without a success are reported", () => {
  const begun = variant("late", { status: "interrupted", metrics: noMetrics, blocks: [], bound: null });
  const text = explained(result([variant("baseline"), begun]));
  assert.match(text, /^– {2}interrupted before any block was measured: late$/m);
  const data = { unit: "images" };
  const early = result([{ ...begun, config: { data }, finalLoss: { step: 0, value: 1 } }]);
  const unmeasured = explained(early);
  assert.match(unmeasured, /^variant +images\/s /m, "as the data calls its samples");
  assert.match(unmeasured, /^final loss: after 1 step$/m);
  const lost = result([failed("a", "Lost", 3), failed("b", "Other", 2), failed("c", "Lost", 3)]);
  assert.match(explained(lost), /^a, c failed: Lost\nb failed: Other\n–/m);
  const none = explained(result([failed("a", "No", 3), failed("b", "Nor this", 2)]));
  assert.match(none, /^a failed: No\nb failed: Nor this\n– {2}the variant failed: a, b$/m);
});

Deno.test("settings that differ between variants are all named in the head", () => {
  const large = variant("large", {
    config: { loader: { batchSize: 64 }, measure: { steps: 10, rounds: 3 }, epochs: 1 },
  });
  const [first, , third] = linesOf(
    explained(result([variant("baseline"), large])),
  );
  assert.equal(first, "resnet-cifar10 · resnet20 · 272,474 parameters · batch 32, 64 · seed 1");
  assert.equal(third, "3 rounds · 10 steps per block · 1 epoch, one block each · at least 3 warm-up steps");
});

Deno.test("data other than images has a separate unit", () => {
  const { metrics } = variant("baseline");
  const text = explained(result([variant("baseline", { metrics: { ...metrics, ips: metric(5120, "tokens/s") } })]));
  assert.match(text, /^variant +tokens\/s +ratio/m);
});

Deno.test("a baseline whose last loss is not a number is reported", () => {
  const of = (loss: number | "NaN") =>
    explained(result([variant("base", { losses: [2.3, loss] }), variant("sink")]), { columns: null });
  assert.match(of("NaN"), /^invalid: base: the baseline's last loss is NaN, nothing can be compared with it$/m);
  assert(!of(1.2).includes("the baseline's last loss"));
});
