import assert from "node:assert/strict";
import { renderMatrix } from "../../../runtime/report/matrix/matrix.ts";
import type { Result } from "../../../runtime/result/schema.ts";
import { bottleneck, comparison, judged, procedure } from "../judged_fixture.ts";
import { eventful, failed, metric, result, variant } from "../result_fixture.ts";
import { explained, linesOf } from "./explained.ts";

/** Renders a result without breaks within its notes. */
const unwrapped = (run: Result) => explained(run).replaceAll("\n  ", " ");

Deno.test("without explain the foot has only what changes how figures are read, and names the flag", () => {
  const wrapped = (run: Result) => renderMatrix(run, { columns: 100, color: false, flags: true });
  const foot = (text: string) => linesOf(text.split("\n\n").at(-2)!);
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
  const all = explained(run);
  for (const line of foot(wrapped(run)).slice(0, -1)) assert(linesOf(all).includes(line), line);
  assert(linesOf(all).includes(software.message), "which the head says otherwise");
  assert(!all.includes(more));
});

Deno.test("a bound by ablations is marked, and the legend explains the mark", () => {
  const run = result([variant("baseline", { bound: "input", bottleneck }), variant("other", { bound: "host" })]);
  const lines = linesOf(explained(run));
  assert(lines.some((line) => /^baseline .* input‡$/.test(line)), lines.join("\n"));
  assert(lines.some((line) => /^other .* host$/.test(line)));
  assert(lines.includes("‡  bound by ablations"));
  assert.doesNotMatch(explained(result([variant("baseline")])), /‡/);
});

Deno.test("the foot names the smallest possible p where the rounds are too few for a verdict", () => {
  const few = { pairs: 3, p: 0.25, adjustedP: 0.5, smallestP: 0.25, reason: "3 rounds are too few; 7 are needed" };
  const arm = (name: string) => variant(name, { verdict: "unclear", comparison: comparison(1.05, null, null, few) });
  const text = explained(result([variant("baseline"), arm("a"), arm("b")]));
  assert.match(text, /^unclear: a, b: 3 rounds are too few; 7 are needed$/m);
  assert.match(text, /^differences up to 2\.0 % count as none \(measure\.minEffect\); baseline ran only once/m);
  assert.match(text, /^p: 3 rounds cannot give less than 0\.25, before correction for 2 variants$/m);
  assert.match(text, /^– {2}too few rounds: interval$/m);
  assert.doesNotMatch(explained(judged()), /cannot give/);
});

Deno.test("the foot names the geometric mean where it disagrees with the ratio", () => {
  const companion = { ratio: { value: 0.97, low: 0.8, high: 1.2 }, method: "geometric mean", disagrees: true };
  const of = (disagrees: boolean) => {
    const own = comparison(1.11, 1.08, 1.14, { reached: 0.969, pairs: 6, companion: { ...companion, disagrees } });
    const sink = variant("sink", { verdict: "faster", comparison: own });
    const text = explained(result([variant("baseline"), sink], { noiseFloor: 0.003 }));
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
  const text = explained(result([variant("baseline"), ...many]));
  assert.match(
    text,
    /^unclear: v4: reason 4\nalso unclear: v5, v6, [^]* and 47 more; the JSON report has\n {2}the reasons$/m,
  );
  assert.match(text, /^submits\/waits\/readbacks: 30\/30\/3 for each$/m);
  assert.match(text, /^runtime wait .*baseline 0\.04, v0 0\.00, v1\s+1\.00,[^]*? v10 10\.0 and 53 more$/m);
});

Deno.test("two variants with the same settings are reported without a warning", () => {
  const warnings = [{ kind: "alias", message: '"b" is set up exactly as "a"' }];
  const text = explained(judged({ procedure: { ...procedure, warnings } }));
  assert.match(text, /^"b" is set up exactly as "a"$/m);
});

Deno.test("a warning about a cache of times appears once where variants share the cache", () => {
  const warnings = ["t.json cannot be read (Is a directory)"];
  const autotune = { ops: [], hits: 0, spent: 1000, before: 0, after: 0, clock: "device", cache: "t.json" } as const;
  const tuned = ["a", "b"].map((name) => variant(name, { autotune: { ...autotune, ops: [], warnings } }));
  const lines = linesOf(explained(result(tuned)));
  const about = lines.filter((line) => /t\.json|autotune/.test(line));
  assert.deepEqual(about, [
    "warning: t.json cannot be read (Is a directory)",
    "autotune of a: 0 ops, 0 from the cache, 0 timed (0 candidates) in 1.00 s",
    "autotune of b: 0 ops, 0 from the cache, 0 timed (0 candidates) in 1.00 s",
  ]);
});

Deno.test("the foot shows the number of set-ups, their time and the spread by level, and what a single one cannot tell", () => {
  const foot = (setups: typeof procedure.setups, spread = { setups: 0.012, rounds: null as number | null }) => {
    const own = comparison(1.11, 1.08, 1.14, { spread });
    const sink = variant("sink", { verdict: "faster", comparison: own });
    const shown = { ...procedure, setups, secondArm: null };
    const made = result([variant("baseline"), sink], { procedure: shown });
    return linesOf(explained(made)).join("\n").replaceAll("\n  ", " ");
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

Deno.test("losses are compared only at the same step, and diverged ones are printed", () => {
  const diverged = variant("amp", { finalLoss: { step: 32, value: "NaN" }, overflows: 4 });
  const longer = variant("sink", { finalLoss: { step: 39, value: 1.2 } });
  const text = explained(result([variant("baseline"), diverged, longer]));
  assert.match(text, /^amp .* NaN +NaN +device$/m);
  assert.match(text, /^sink .* 1.200 +– +device$/m);
  assert.match(text, /^– {2}the baseline has no loss at the same step: loss difference$/m);
  assert.match(text, /^steps skipped after a gradient overflow: amp 4$/m);
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

Deno.test("if the baseline failed, the foot gives that as the reason for missing comparisons", () => {
  const { metrics } = variant("sink");
  const sink = variant("sink", { metrics: { ...metrics, speedup: null } });
  const text = explained(result([failed("baseline", "No", 3), sink]));
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

Deno.test("variants whose intervals leave a difference open for the same reason share a line", () => {
  const open = (edges: string, more: string) => `${edges} leaves open whether the difference exceeds 2.0 %${more}`;
  const arm = (name: string, reason: string) =>
    variant(name, { verdict: "unclear", comparison: comparison(1.01, 0.95, 1.07, { reason }) });
  const over = "; it would take over 200 rounds to decide";
  const run = result([
    variant("baseline"),
    arm("a", open("×0.95 to ×1.07", over)),
    arm("b", open("×0.97 to ×1.06", over)),
    arm("c", open("×0.98 to ×1.09", "; about 40 rounds would decide")),
  ]);
  const lines = unwrapped(run).split("\n").filter((line) => line.startsWith("unclear"));
  assert.deepEqual(lines, [
    `unclear: a, b: ${open("the interval", over)}`,
    `unclear: c: ${open("the interval", "; about 40 rounds would decide")}`,
  ]);
});

Deno.test("the foot names the speed over all blocks where it lies outside the interval of the ratio", () => {
  const { metrics } = variant("sink");
  const of = (ips: number) => {
    const own = { verdict: "faster", comparison: comparison(1.11, 1.08, 1.14) } as const;
    const sink = variant("sink", { ...own, metrics: { ...metrics, ips: metric(ips, "images/s") } });
    return unwrapped(result([variant("baseline"), sink]));
  };
  assert.match(
    of(126),
    /^sink: over all blocks its speed is ×0\.90 of baseline's, outside the interval: some blocks took far longer$/m,
  );
  assert.doesNotMatch(of(155), /over all blocks its speed/);
});
