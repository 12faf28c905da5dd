import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { renderMatrix } from "../../runtime/report/matrix.ts";
import { adapter, eventful, failed, metric, noMetrics, result, variant } from "./result_fixture.ts";

function linesOf(text: string): string[] {
  return text.split("\n");
}

Deno.test("The matrix of a run in which much happened", () => {
  const expected = `\
resnet-cifar10 · resnet20 · 272,474 parameters · batch 32 · seed 1
llvmpipe (LLVM 15.0.6, 256 bits) · software adapter: kernels run on the CPU
rounds 3 · steps 10 a block · skip 3 at first

                          batch reader iter.                         device peak
                           cost   cost   gap forward backward update busy % mem. final   loss
variant    images/s ratio    ms     ms    ms      ms       ms     ms phases  MiB  loss  diff. bound
────────────────────────────────────────────────────────────────────────────────────────────────────
baseline  140 ±2.1% ×1.00  229   12.3   13.1    70.1      140   4.25     94  312 1.732      0 device
workers†        133 ×0.95  229   12.3   13.1    70.1      140   4.25      –  312 1.742 +0.010 input
sink      152 ±0.5% ×1.08  211* <0.01*  0.31    70.1      140   4.25    100  312 1.732      0 device
amp               –     –    –      –      –       –        –      –      –    –     –      – –

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
  for (const columns of [100, 80, 60, 40]) {
    const text = renderMatrix(eventful(), { columns, color: true });
    for (const line of linesOf(text)) assert(stringWidth(line) <= columns, `${columns}: ${line}`);
  }
  const narrow = renderMatrix(eventful(), { columns: 80, color: false });
  assert.match(narrow, /not shown in 80 columns: peak memory, iteration gap, update, backward\n/);
  assert.doesNotMatch(narrow, /update busy|backward +update/);
  assert.doesNotMatch(renderMatrix(eventful(), { columns: 100, color: false }), /not shown/);
});

Deno.test("Without a terminal nothing is left out, however wide", () => {
  const text = renderMatrix(result([variant("amp-O0.loader-numWorkers-0.loader-batchSize-32")]), {
    columns: null,
    color: false,
  });
  assert.match(text, /mem\./);
  assert.doesNotMatch(text, /not shown/);
});

Deno.test("The name that a sweep gave is broken at its commas before a column has to go", () => {
  const names = ["amp=O0,sink=0", "amp=O0,sink=10"];
  const narrow = linesOf(renderMatrix(result(names.map((name) => variant(name))), { columns: 100, color: false }));
  const row = narrow.findIndex((line) => line.startsWith("amp=O0, "));
  assert.deepEqual(narrow.slice(row + 1, row + 4).map((line) => line.split(" ")[0]), ["sink=0", "amp=O0,", "sink=10"]);
  assert(!narrow.some((line) => line.startsWith("not shown")));
  const wide = renderMatrix(result(names.map((name) => variant(name))), { columns: 120, color: false });
  assert.match(wide, /^amp=O0,sink=10 +140/m);
});

Deno.test("A wide terminal has room between the columns", () => {
  const [line] = linesOf(renderMatrix(eventful(), { columns: 120, color: false })).filter((l) => l.startsWith("base"));
  assert.match(line!, /^baseline {3}140 ±2.1% {2}×1.00 {3}229/);
});

Deno.test("Colour marks the best and the worst ratio and the bound, and changes no character", () => {
  const plain = renderMatrix(eventful(), { columns: 100, color: false });
  const coloured = renderMatrix(eventful(), { columns: 100, color: true });
  assert.equal(stripVTControlCharacters(coloured), plain);
  assert.equal(stripVTControlCharacters(plain), plain);
  assert(coloured.includes("\x1b[32m×1.08\x1b[39m"), "the best is green");
  assert(coloured.includes("\x1b[31m×0.95\x1b[39m"), "the worst is red");
  assert(!coloured.includes("m×1.00\x1b"), "the rest is plain");
  assert(coloured.includes("\x1b[33minput\x1b[39m"));
  const equal = renderMatrix(result([variant("a"), variant("b")]), { columns: 100, color: true });
  assert(!equal.includes("m×1.00\x1b"), "no best among equals");
});

Deno.test("Without timestamp queries the device's columns are empty, and one line says why", () => {
  const { metrics } = variant("baseline");
  const device = { iterationGap: null, forward: null, backward: null, update: null, deviceBusy: null };
  const plain = result([variant("baseline", { metrics: { ...metrics, ...device } })]);
  plain.environment.adapter = { ...adapter, fallback: false, features: [] };
  const text = renderMatrix(plain, { columns: 100, color: false });
  assert.match(text, /^llvmpipe \(LLVM 15.0.6, 256 bits\)$/m);
  assert.match(text, /baseline +140 ±2.1% +×1.00 +229 +12.3 +– +– +– +– +– +312 +1.732 +device/);
  assert.match(
    text,
    /^– {2}the adapter has no timestamp queries: iteration gap, forward, backward, update, device busy$/m,
  );
  assert.doesNotMatch(text, /loss diff|amortised|interrupted|times the speed/);
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
  assert.match(text, /^baseline +2810 +×1.00 +11.4 +– +– +– +– +– +– +– +– +input$/m);
  assert.match(text, /^– {2}not measured in this run: reader cost$/m);
  assert.match(text, /^– {2}no model, the loader alone was measured: iteration gap, forward, backward, update,/m);
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
  const [first, , third] = linesOf(renderMatrix(result([variant("baseline"), large]), { columns: 100, color: false }));
  assert.equal(first, "resnet-cifar10 · resnet20 · 272,474 parameters · batch 32, 64 · seed 1");
  assert.equal(third, "rounds 3 · steps 10 a block · epochs 1, a block each · skip 3 at first");
});

Deno.test("Data other than images has its own unit", () => {
  const { metrics } = variant("baseline");
  const text = renderMatrix(result([variant("baseline", { metrics: { ...metrics, ips: metric(5120, "tokens/s") } })]), {
    columns: 100,
    color: false,
  });
  assert.match(text, /^variant +tokens\/s ratio/m);
});
