import assert from "node:assert/strict";
import { rankedFindings } from "../../../runtime/report/outcome/findings.ts";
import { type OutcomeOptions, renderOutcome } from "../../../runtime/report/outcome/outcome.ts";
import type { Result, VariantResult } from "../../../runtime/result/schema.ts";
import { arm, bottleneck, effects, findings, judged, ladder, target } from "../judged_fixture.ts";
import { eventful, result, variant } from "../result_fixture.ts";

const brief = { columns: 100, color: false, raw: false, advice: false };

/** The judged result with more found out about some of its variants. */
function found(fields: Readonly<Record<string, Partial<VariantResult>>>, run: Result = judged()): Result {
  return { ...run, variants: run.variants.map((variant) => ({ ...variant, ...fields[variant.name] })) };
}

function lines(run: Result, options: OutcomeOptions = brief): string[] {
  return renderOutcome(run, options).split("\n");
}

Deno.test("without outcomes there are no lines", () => {
  assert.equal(renderOutcome(eventful(), brief), "");
  assert.equal(renderOutcome(result([]), { ...brief, raw: true, advice: true }), "");
});

Deno.test("effects of single settings come before interactions", () => {
  assert.equal(
    renderOutcome(judged({ effects }), brief),
    `\
Effects of settings, over all combinations
setting                      ratio   interval      p
────────────────────────────────────────────────────
sink 0 -> 10                 ×1.31  1.27-1.35  0.024
amp O0 -> O2                 ×0.90  0.88-0.92  0.024
amp O0 -> O2 + sink 0 -> 10  ×1.00          –   0.50
ratio: change of speed when the setting goes from the first value to the second
a + b: interaction, the gain of both settings beyond their separate gains; ×1.00: none
p: corrected for the number of effects, 2 of 1 setting, 1 of 2 settings

`,
  );
  const coloured = renderOutcome(judged({ effects }), { ...brief, color: true });
  assert(coloured.includes("\x1b[32m×1.31\x1b[39m") && coloured.includes("\x1b[31m×0.90\x1b[39m"));
  assert(!coloured.includes("m×1.00\x1b"), "effects that are not significant have no colour");
});

Deno.test("of many effects, interactions are shown only if they are significant", () => {
  const [alone, , together] = effects;
  const many = [
    ...Array.from({ length: 8 }, () => alone!),
    ...Array.from({ length: 20 }, (_, i) => ({ ...together!, adjustedP: i === 0 ? 0.01 : 0.5 })),
  ];
  const text = renderOutcome(judged({ effects: many }), brief);
  assert.equal(text.match(/ -> /g)?.length, 8 + 2);
  assert.match(text, /^not shown: 19 more interactions that are not significant$/m);
});

Deno.test("the time to a target is shown by seed, and a seed that missed it has none", () => {
  const run = found({
    baseline: { target },
    sink: { target: { ...target, seeds: target.seeds.slice(0, 1), time: null } },
  });
  assert.equal(
    renderOutcome(run, brief),
    `\
Time to an accuracy of 60.0 %
                            interval      seed 1      seed 2     seed 3
variant   reached    mean          s   s / steps   s / steps  s / steps
───────────────────────────────────────────────────────────────────────
baseline   2 of 3  13.2 s  11.0-15.7  12.3 / 120  14.1 / 140          –
sink       1 of 1       –          –  12.3 / 120           –          –
mean, interval: over the seeds that reached the target; seeds: seconds of training / steps
–  target not reached within the steps

`,
  );
  const loss = found({ baseline: { target: { ...target, metric: "loss", threshold: 1.25 } }, sink: { target } });
  assert.deepEqual(lines(loss).filter((line) => line.startsWith("Time to")), [
    "Time to a loss of 1.25",
    "Time to an accuracy of 60.0 %",
  ]);
});

Deno.test("bottlenecks by rules and by ablations are shown, and where they differ", () => {
  const agreed = { ...bottleneck, byArms: { bound: "device", reason: "null kernels take 12 % of the step" } as const };
  const run = found({
    baseline: { bottleneck },
    sink: { bottleneck: agreed },
    amp: { bottleneck: { ...bottleneck, byArms: null, device: null } },
  });
  assert.deepEqual(lines(run).slice(0, 7), [
    "Bottleneck of a step",
    "          by      by         on the",
    "variant   rules   ablations  device       why",
    "────────────────────────────────────────────────────────────────────────────────",
    "baseline  device  input      memory 70 %  without loading a step takes 31 % less",
    "sink      device  device     memory 70 %  null kernels take 12 % of the step",
    "amp       device  –          –            the device is busy 97 % of the step",
  ]);
  const text = renderOutcome(run, brief).replaceAll(/\n {3}/g, " ");
  assert.match(
    text,
    /^baseline: bound by input: without loading a step takes 31 % less\. By the trace alone it would be device \(the device is busy/m,
  );
  assert.match(text, /^sink: bound by device: null kernels take 12 % of the step\.\n$/m, "the last sentence");
  assert.match(
    text,
    /^baseline +synthetic input +157 +×1\.45 +1\.41-1\.50 +5$[^]*^synthetic input: without the loader$/m,
  );
});

Deno.test("bottlenecks by rules alone are shown on request, since the matrix has them as words", () => {
  const run = found({ baseline: { bottleneck: { ...bottleneck, byArms: null, arms: [] } } });
  assert.equal(renderOutcome(run, brief), "");
  assert.match(renderOutcome(run, { ...brief, explain: true }), /^Bottleneck of a step$/m);
});

Deno.test("a truncated reason of a bottleneck follows in full below the table", () => {
  const reason = "without it the step is shorter by 93 %; host 5.9 %, input 1.1 %, transfer 0.3 %";
  const run = found({ baseline: { bottleneck: { ...bottleneck, byArms: { bound: "device", reason } } } });
  const text = renderOutcome(run, brief);
  assert.match(text, / without it the step.*….*transfer 0\.3 %$/m);
  assert.ok(text.replaceAll(/\n {3}/g, " ").endsWith(`\nbaseline: bound by device: ${reason}.\n\n`), text);
});

Deno.test("advice has three lines by default, and all findings with their evidence on request", () => {
  const run = found({ baseline: { findings }, sink: { findings: findings.slice(0, 1) } });
  assert.equal(lines(run)[0], "Advice, by predicted gain (3 of 4)");
  assert.deepEqual(lines(run, { ...brief, flags: true }), [
    "Advice, by predicted gain (3 of 4); --advice shows the evidence",
    "×1.45  loader.numWorkers 0 -> 2 (baseline, sink): The training loop waits for batches: the host que…",
    "×1.06  sink 0 -> 10 (baseline): The device idles 13 ms between steps",
    "×1.02  loader.batchSize 32 -> 128 (baseline): Memory would allow a batch of 128",
    "",
    "",
  ]);
  const all = lines(run, { ...brief, advice: true });
  const first = all.findIndex((line) => line.startsWith("×1.45"));
  assert.deepEqual(all.slice(first, first + 6), [
    "×1.45  The training loop waits for batches: the host queue was empty at 91 % of the steps (baseline,",
    "       sink)",
    "       host queue empty: 91 % (queues)",
    "       reader cost: 72.1 of 229 ms (step trace)",
    "       try: loader.numWorkers=2",
    "       predicted ×1.45: a step without the wait for batches takes 157 ms",
  ]);
  assert.deepEqual(all.slice(-5), [
    "–      Channels of conv1 are no multiple of 8 (baseline)",
    "       channels: 3 (op:conv1)",
    "       needs a change to the script",
    "",
    "",
  ]);
});

Deno.test("a finding of several variants appears once, with its largest gain", () => {
  const [most] = findings;
  const less = { ...most!, predicted: { gain: 1.1, reasoning: "less" } };
  const elsewhere = { ...most!, changes: [{ path: "loader.numWorkers", from: 2, to: 4 }] };
  const ranked = rankedFindings(
    found({ baseline: { findings: [less] }, sink: { findings: [most!] }, amp: { findings: [elsewhere] } }),
  );
  assert.deepEqual(ranked.map(({ variants, finding }) => [variants.join(), finding.predicted?.gain]), [
    ["baseline,sink", 1.45],
    ["amp", 1.45],
  ]);
});

Deno.test("the ladder shows predicted and measured gains, and the whole patch", () => {
  const text = renderOutcome(judged({ ladder }), { ...brief, columns: 120 });
  assert.equal(
    text,
    `\
Ladder of baseline: ×1.38 in total (1.35-1.41), 1 of 3 rungs kept
                              samples   gain   gain
setting                            /s  pred.  meas.   interval  gap           empty %    bound
────────────────────────────────────────────────────────────────────────────────────────────────────────
as it was                         140                           13.1          91         input
loader.numWorkers 0 -> 2          193  ×1.45  ×1.38  1.35-1.41  13.1 -> 12.9  91 -> 2.0  input -> device
    kept: ×1.35 to ×1.41 is more than 2.0 % faster
amp.level O0 -> O2                176  ×1.20  ×0.91  0.90-0.93  12.9          2.0        device
    dropped: slower than predicted
compile.fusion false -> true        –  ×1.10      –          –  12.9 -> –     2.0 -> –   device -> –
    dropped: the time was up
before -> after; gap: iteration gap in ms; empty: share of steps that found the host queue empty
median error of predictions: 19 %
ended: time limit reached

Patch for the script:
--- a/scripts/resnet.ts
+++ b/scripts/resnet.ts
@@ -3 +3 @@
-  loader: {},
+  loader: { numWorkers: 2 },

`,
  );
  const wide = { ...ladder, patch: `+\tconst a = "${"x".repeat(300)}";\x1b[2J\n` };
  assert(renderOutcome(judged({ ladder: wide }), brief).includes(`+\tconst a = "${"x".repeat(300)}";\\u{1b}[2J\n`));
  const nothing = { ...ladder, rungs: [], total: null, predictionError: null, patch: null };
  assert.match(
    renderOutcome(judged({ ladder: nothing }), brief),
    /^Ladder of baseline: total –, 0 of 0 rungs kept\n[^]*^predictions: –, no rung was measured$/m,
  );
});

Deno.test("--raw shows every block, the control arm's included, with its ratio to the baseline's", () => {
  const text = renderOutcome(judged(), { ...brief, raw: true });
  assert.deepEqual(text.split("\n").slice(0, 9), [
    "All blocks, in the order they ran",
    "                                                 wall  ms per",
    "round  place  arm             steps  samples       ms  sample    ratio",
    "──────────────────────────────────────────────────────────────────────",
    "    1      1  baseline            –      160  1143.00  7.1437  ×1.0000",
    "    1      2  sink                –      160  1050.00  6.5625  ×1.0886",
    "    1      2  workers             –      160  1215.00  7.5938  ×0.9407",
    "    1      2  both                –      160  1120.00  7.0000  ×1.0205",
    "    1      2  amp                 –      160   820.00  5.1250  ×1.3939",
  ]);
  assert.equal(text.match(/^ +\d+ +\d+ +baseline again /gm)?.length, 8);
  assert.match(text, /^baseline again: control arm, the baseline run a second time$/m);
  const odd = result([variant("baseline", { blocks: arm(0, [0]) }), variant("late", { blocks: arm(1, [5, 6]) })]);
  const rows = renderOutcome(odd, { ...brief, raw: true });
  assert.match(rows, /^ +1 +1 +baseline +– +160 +0\.00 +– +–$/m, "nothing is divided by nothing");
  assert.match(rows, /^ +2 +2 +late +– +160 +6\.00 +0\.037500 +–$/m, "no block of the baseline in this round");
});
