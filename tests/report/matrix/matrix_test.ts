import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { renderMatrix } from "../../../runtime/report/matrix/matrix.ts";
import type { Procedure } from "../../../runtime/result/schema.ts";
import { comparison, judged, procedure } from "../judged_fixture.ts";
import { adapter, eventful, failed, metric, noMetrics, result, variant } from "../result_fixture.ts";

function linesOf(text: string): string[] {
  return text.split("\n");
}

Deno.test("The matrix of a run in which much happened", () => {
  const expected = `\
– no verdict: this run did not compare its blocks.
resnet-cifar10 · resnet20 · 272,474 parameters · batch 32 · seed 1
llvmpipe (LLVM 15.0.6, 256 bits) · software adapter: kernels run on the CPU
rounds 3 · steps 10 a block · skip 3 at first

                             peak  final    loss
variant     images/s  ratio   MiB   loss   diff.  bound
────────────────────────────────────────────────────────
baseline   140 ±2.1%  ×1.00   312  1.732       0  device
workers†         133  ×0.95   312  1.742  +0.010  input
sink       152 ±0.5%  ×1.08   312  1.732       0  device
amp                –      –     –      –       –  –

           batch  reader  iter.                             device
ms a step   cost    cost    gap  forward  backward  update  busy %
──────────────────────────────────────────────────────────────────
baseline    229    12.3    13.1     70.1       140    4.25      94
workers†    229    12.3    13.1     70.1       140    4.25       –
sink        211*  <0.01*   0.31     70.1       140    4.25     100
amp           –       –       –        –         –       –       –

amp failed: The adapter "llvmpipe" has no shader-f16; run without amp, or choose another adapter
accuracy on test data (1,000 samples) after step 33: workers 40.0 %, sink 41.2 %
submits/waits/readbacks: baseline 30/30/3, workers 30/30/3, sink 3/3/3
runtime wait, Deno's own sleep after a wait for the device, in ms a step: baseline 0.04, workers
  0.04, sink 1.02
–  the variant failed: amp
–  interrupted before it was measured: device busy
*  amortised: the time of a sink / its steps
†  interrupted: what was measured until then
±  half the range of the 3 blocks
×  times the speed of baseline
final loss: after 33 steps of every variant
`;
  assert.equal(renderMatrix(eventful(), { columns: 100, color: false }), expected);
  assert.equal(renderMatrix(eventful(), { columns: null, color: false }), expected, "without a terminal");
});

Deno.test("No line is wider than the terminal; what had to go is named", () => {
  for (const result of [eventful(), judged()]) {
    for (const columns of [100, 80, 60, 40]) {
      const text = renderMatrix(result, { columns, color: true });
      for (const line of linesOf(text)) assert(stringWidth(line) <= columns, `${columns}: ${line}`);
    }
  }
  const narrow = renderMatrix(judged(), { columns: 60, color: false });
  assert.match(
    narrow,
    /^not shown in 60 columns: p, peak memory, loss difference,\n {3}step p99, iteration gap, update$/m,
  );
  assert.doesNotMatch(narrow, /backward +update/);
  assert.doesNotMatch(renderMatrix(judged(), { columns: 100, color: false }), /not shown/);
  const wide = result([variant("long-name.".repeat(12)), variant("b")]);
  assert.match(renderMatrix(wide, { columns: 130, color: false }), /^not shown in 130 columns: /m);
});

Deno.test("Without a terminal nothing is left out, however wide", () => {
  const text = renderMatrix(result([variant("amp-O0.loader-numWorkers-0.loader-batchSize-32.".repeat(3))]), {
    columns: null,
    color: false,
  });
  assert.match(text, /peak/);
  assert.doesNotMatch(text, /not shown/);
});

Deno.test("The name that a sweep gave is broken at its commas before a column has to go, and cut after that", () => {
  const names = ["amp=O0,loader.numWorkers=2,sink=0", "amp=O0,loader.numWorkers=2,sink=10"];
  const swept = result(names.map((name) => variant(name)));
  const narrow = linesOf(renderMatrix(swept, { columns: 70, color: false }));
  const row = narrow.findIndex((line) => line.startsWith("amp=O0, "));
  assert.deepEqual(narrow.slice(row, row + 3).map((line) => line.split(" ")[0]), [
    "amp=O0,",
    "loader.numWorkers=2,",
    "sink=0",
  ]);
  assert(!narrow.some((line) => line.startsWith("not shown")));
  assert.match(renderMatrix(swept, { columns: 120, color: false }), /^amp=O0,loader\.numWorkers=2,sink=10 +140/m);
  assert.match(renderMatrix(swept, { columns: 32, color: false }), /^lo[^ ]*…[^ ]*2,$/m);
});

Deno.test("A terminal that is too narrow for two spaces between the columns has one", () => {
  const row = (columns: number) =>
    linesOf(renderMatrix(judged(), { columns, color: false })).find((line) => line.startsWith("sink  "));
  assert.match(row(100)!, /^sink {12}152 {2}×1\.08 {2}1\.06-1\.10 {2}faster /);
  assert.match(row(74)!, /^sink {11}152 ×1\.08 1\.06-1\.10 faster /);
});

Deno.test("Colour follows the verdict and the bound, and changes no character", () => {
  const plain = renderMatrix(judged(), { columns: 100, color: false });
  const coloured = renderMatrix(judged(), { columns: 100, color: true });
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
  assert(!renderMatrix(eventful(), { columns: 100, color: true }).includes("m×1.08\x1b"), "as is what nobody judged");
  assert(renderMatrix(eventful(), { columns: 100, color: true }).includes(yellow!("input")));
});

Deno.test("Verdicts with their intervals, and below them why, and what the machine allows to tell", () => {
  const text = renderMatrix(judged(), { columns: 100, color: false });
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
ms a step   cost  median   p95   p99    cost    gap  forward  backward  update  busy %
`;
  assert(text.includes(expected), text);
  for (
    const line of [
      "invalid: amp: the loss up to step 32 is 12 % off, 10 % allowed",
      "unclear: both: it reaches across",
      "warning: the load average is 3.2 on 2 cores; other work slows this run",
      "warning: step times were not steady when the warm-up ended: sink (60 steps)",
      "blocks outside of Tukey's fences, not left out: baseline 1 mild of 8; none in 4 more",
      "probe, a fixed kernel between rounds: 4.10 to 4.30 ms, 4.8 % slower over the run",
      "taken up again after an interruption: once",
    ]
  ) assert(linesOf(text).includes(line), line);
  assert.match(text, /^rounds 8 of 20, every interval within ±2\.0 % · steps 10 a block/m);
  assert.match(
    text,
    /^noise floor: 1\.3 %, by which baseline differs from itself \(0\.0 % to 2\.1 %\); less than 2\.0 %/m,
  );
});

Deno.test("What rounds can tell at all is said where it is too little", () => {
  const few = { pairs: 3, p: 0.25, adjustedP: 0.5, smallestP: 0.25, reason: "3 rounds cannot tell: 7 would do" };
  const arm = (name: string) => variant(name, { verdict: "unclear", comparison: comparison(1.05, null, null, few) });
  const text = renderMatrix(result([variant("baseline"), arm("a"), arm("b")]), { columns: 100, color: false });
  assert.match(text, /^unclear: a, b: 3 rounds cannot tell: 7 would do$/m);
  assert.match(text, /^noise floor: –, baseline ran once only; less than 2\.0 % counts as no difference$/m);
  assert.match(text, /^p: 3 rounds can reach 0\.25 at the least, before the correction for 2 variants$/m);
  assert.match(text, /^– {2}too few rounds: interval$/m);
  assert.doesNotMatch(renderMatrix(judged(), { columns: 100, color: false }), /can reach/);
});

Deno.test("A large sweep has a foot of bounded length, and what is the same for all variants is told once", () => {
  const { metrics } = variant("baseline");
  const many = Array.from({ length: 64 }, (_, i) =>
    variant(`v${i}`, {
      metrics: { ...metrics, runtimeWait: metric(i) },
      verdict: "unclear",
      comparison: comparison(1, 0.9, 1.1, { reason: `reason ${i}` }),
    }));
  const text = renderMatrix(result([variant("baseline"), ...many]), { columns: 100, color: false });
  assert.match(
    text,
    /^unclear: v4: reason 4\nunclear as well: v5, v6, [^]* and 47 more; their reasons\n {2}are in the JSON$/m,
  );
  assert.match(text, /^submits\/waits\/readbacks: 30\/30\/3 for each$/m);
  assert.match(text, /^runtime wait, .*baseline 0\.04, v0 0\.00, v1\s+1\.00,[^]*? v10 10\.0 and 53 more$/m);
});

Deno.test("A name that stands for two variants is told, not warned of", () => {
  const warnings = [{ kind: "alias", message: '"b" is set up exactly as "a"' }];
  const text = renderMatrix(judged({ procedure: { ...procedure, warnings } }), { columns: 100, color: false });
  assert.match(text, /^"b" is set up exactly as "a"$/m);
});

Deno.test("What is wrong with a cache of times is warned of, once where variants share it", () => {
  const warnings = ["t.json cannot be read (Is a directory)"];
  const autotune = { ops: [], hits: 0, spent: 1000, before: 0, after: 0, clock: "device", cache: "t.json" } as const;
  const tuned = ["a", "b"].map((name) => variant(name, { autotune: { ...autotune, ops: [], warnings } }));
  const lines = linesOf(renderMatrix(result(tuned), { columns: 100, color: false }));
  const about = lines.filter((line) => /t\.json|autotune/.test(line));
  assert.deepEqual(about, [
    "warning: t.json cannot be read (Is a directory)",
    "autotune of a: 0 ops, 0 from the cache, 0 timed (0 candidates) in 1.00 s",
    "autotune of b: 0 ops, 0 from the cache, 0 timed (0 candidates) in 1.00 s",
  ]);
});

Deno.test("How a run ended is told with its rounds", () => {
  const head = (fields: Partial<Procedure>) =>
    linesOf(renderMatrix(judged({ procedure: { ...procedure, ...fields } }), { columns: 100, color: false }))[3]!
      .split(" · ")[0];
  assert.equal(head({ planned: 8, stoppedBy: "rounds" }), "rounds 8");
  assert.equal(head({ stoppedBy: "time", maxTime: 60 }), "rounds 8 of 20, the time was up (60.0 s)");
  assert.equal(head({ stoppedBy: "interrupted" }), "rounds 8 of 20, interrupted");
  assert.equal(head({ stoppedBy: "failed" }), "rounds 8 of 20, ended by a failure");
});

Deno.test("Set-up, the first step and the warm-up are told apart from the blocks", () => {
  const { metrics } = variant("baseline");
  const base = variant("baseline", { metrics: { ...metrics, setup: metric(512), firstStep: metric(1210) } });
  const text = renderMatrix(result([base, variant("sink")], { procedure }), { columns: 100, color: false });
  assert.match(text, /^before the blocks, set-up\/first step\/steps of warm-up: baseline 0\.51 s\/1\.21 s\/13$/m);
});

Deno.test("Without timestamp queries the device's columns are empty, and one line says why", () => {
  const { metrics } = variant("baseline");
  const device = { iterationGap: null, forward: null, backward: null, update: null, deviceBusy: null };
  const plain = result([variant("baseline", { metrics: { ...metrics, ...device } })]);
  plain.environment.adapter = { ...adapter, fallback: false, features: [] };
  const text = renderMatrix(plain, { columns: 100, color: false });
  assert.match(text, /^llvmpipe \(LLVM 15.0.6, 256 bits\)$/m);
  assert.match(text, /^baseline +140 ±2.1% +×1.00 +312 +1.732 +device$/m);
  assert.match(text, /^baseline +229 +12.3 +– +– +– +– +–$/m);
  assert.match(
    text,
    /^– {2}the adapter has no timestamp queries: iteration gap, forward, backward, update, device busy$/m,
  );
  assert.doesNotMatch(text, /loss diff|amortised|interrupted|times the speed|verdict/);
});

Deno.test("The loader alone", () => {
  const loader = variant("baseline", {
    config: { model: null, loader: { batchSize: 32 } },
    parameters: null,
    planFingerprint: null,
    metrics: { ...noMetrics, ips: metric(2810, "images/s"), speedup: metric(1, "ratio"), batchCost: metric(11.4) },
    memory: null,
    finalLoss: null,
    counts: null,
    bound: "input",
  });
  const run = result([loader]);
  run.environment.adapter = null;
  const text = renderMatrix(run, { columns: 100, color: false });
  assert.match(text, /^resnet-cifar10 · batch 32 · seed 1\nno device was used$/m);
  assert.match(text, /^baseline +2810 +×1.00 +– +– +input$/m);
  assert.match(text, /^baseline +11.4 +– +– +– +– +– +–$/m);
  assert.match(text, /^– {2}not measured in this run: reader cost$/m);
  assert.match(
    text,
    /^– {2}no model, the loader alone was measured: peak memory, final loss, iteration gap, forward,/m,
  );
});

Deno.test("Forward only: what is no part of a step is not said to be missing", () => {
  const { metrics } = variant("baseline");
  const text = renderMatrix(result([variant("baseline", { metrics: { ...metrics, backward: null, update: null } })]), {
    columns: 100,
    color: false,
  });
  assert.match(text, /^– {2}not part of the steps \(no optimizer\): backward, update$/m);
});

Deno.test("A variant that was never begun, and a run in which all failed", () => {
  const begun = variant("late", { status: "interrupted", metrics: noMetrics, blocks: [], bound: null });
  const text = renderMatrix(result([variant("baseline"), begun]), { columns: 100, color: false });
  assert.match(text, /^– {2}interrupted before a block was measured: late$/m);
  const data = { unit: "images" };
  const early = result([{ ...begun, config: { data }, finalLoss: { step: 0, value: 1 } }]);
  const unmeasured = renderMatrix(early, { columns: 100, color: false });
  assert.match(unmeasured, /^variant +images\/s /m, "as the data calls its samples");
  assert.match(unmeasured, /^final loss: after 1 step$/m);
  const lost = result([failed("a", "Lost", 3), failed("b", "Other", 2), failed("c", "Lost", 3)]);
  assert.match(renderMatrix(lost, { columns: 100, color: false }), /^a, c failed: Lost\nb failed: Other\n–/m);
  const none = renderMatrix(result([failed("a", "No", 3), failed("b", "Nor this", 2)]), { columns: 100, color: false });
  assert.match(none, /^a failed: No\nb failed: Nor this\n– {2}the variant failed: a, b$/m);
});

Deno.test("Losses are compared at the same step only, and a diverged one is printed as it is", () => {
  const diverged = variant("amp", { finalLoss: { step: 32, value: "NaN" }, overflows: 4 });
  const longer = variant("sink", { finalLoss: { step: 39, value: 1.2 } });
  const text = renderMatrix(result([variant("baseline"), diverged, longer]), { columns: 100, color: false });
  assert.match(text, /^amp .* NaN +NaN +device$/m);
  assert.match(text, /^sink .* 1.200 +– +device$/m);
  assert.match(text, /^– {2}no loss of the baseline at the same step: loss difference$/m);
  assert.match(text, /^steps skipped because a gradient overflowed: amp 4$/m);
});

Deno.test("Settings that differ between variants are all named in the head", () => {
  const large = variant("large", {
    config: { loader: { batchSize: 64 }, measure: { steps: 10, rounds: 3 }, epochs: 1 },
  });
  const [, first, , third] = linesOf(
    renderMatrix(result([variant("baseline"), large]), { columns: 100, color: false }),
  );
  assert.equal(first, "resnet-cifar10 · resnet20 · 272,474 parameters · batch 32, 64 · seed 1");
  assert.equal(third, "rounds 3 · steps 10 a block · epochs 1, a block each · skip 3 at first");
});

Deno.test("Data other than images has its own unit", () => {
  const { metrics } = variant("baseline");
  const text = renderMatrix(result([variant("baseline", { metrics: { ...metrics, ips: metric(5120, "tokens/s") } })]), {
    columns: 100,
    color: false,
  });
  assert.match(text, /^variant +tokens\/s +ratio/m);
});

Deno.test("Why an inference has no final loss, and a loader alone nothing that bounds it", () => {
  const of = (name: string, fields: Parameters<typeof variant>[1], config: Record<string, unknown>) => {
    const made = variant(name, fields);
    return { ...made, config: { ...made.config, ...config } as typeof made.config };
  };
  const text = renderMatrix(
    result([
      of("infer", { finalLoss: null, bound: "none" }, { mode: "infer" }),
      of("loader", { finalLoss: null, bound: null, parameters: null }, { model: null }),
    ]),
    { columns: null, color: false },
  );
  assert.match(text, /– {2}nothing is trained, so no loss is read: final loss\n/);
  assert.match(text, /– {2}batches are waited for in less than half of a step, and the device was not timed: bound\n/);
  assert.match(text, /^infer .* none$/m);
});

Deno.test("A baseline whose loss is no number is told", () => {
  const of = (loss: number | "NaN") =>
    renderMatrix(result([variant("base", { losses: [2.3, loss] }), variant("sink")]), { columns: null, color: false });
  assert.match(of("NaN"), /^invalid: base, the baseline: its last loss is NaN, no other can be held against it$/m);
  assert(!of(1.2).includes("the baseline: its"));
});

Deno.test("Where the baseline failed, that is why nothing is held against it", () => {
  const { metrics } = variant("sink");
  const sink = variant("sink", { metrics: { ...metrics, speedup: null } });
  const text = renderMatrix(result([failed("baseline", "No", 3), sink]), { columns: 100, color: false });
  assert.match(text, /^– {2}the baseline failed: ratio, loss difference$/m);
  assert.doesNotMatch(text, /not measured in this run/);
});
