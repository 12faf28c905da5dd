import assert from "node:assert/strict";
import { GATE_METRICS } from "../../../runtime/analysis/gates/gate_metrics.ts";
import { checkVariants, parseGate } from "../../../runtime/analysis/gates/parse_gate.ts";
import { InputError } from "../../../runtime/core/errors.ts";

function refuses(gate: string, message: RegExp): void {
  assert.throws(() => parseGate(gate), (error: Error) => {
    assert(error instanceof InputError);
    assert.match(error.message, message);
    assert(error.message.startsWith(`gate "${gate.trim()}": `), error.message);
    return true;
  });
}

Deno.test("a gate has a metric, a variant, an operator and a value", () => {
  const { metric, variant, operator, wanted } = parseGate(" speedup.sink >= 1.1 ");
  assert.equal(metric.name, "speedup");
  assert.deepEqual([variant, operator], ["sink", ">="]);
  assert.deepEqual(wanted, { kind: "number", value: 1.1, unit: null });
});

Deno.test("metrics and variants may contain dots, variants also an equals sign and commas", () => {
  const peak = parseGate("memory.peak.loader.numWorkers=2,amp=O2<=300MiB");
  assert.equal(peak.metric.name, "memory.peak");
  assert.equal(peak.variant, "loader.numWorkers=2,amp=O2");
  assert.equal(parseGate("verdict.amp=O2==faster").variant, "amp=O2");
  assert.equal(parseGate("ips.*>1").variant, "*");
});

Deno.test("gates accept every metric of a result", () => {
  for (const name of GATE_METRICS) {
    const right = /^(verdict|bound|status|exact\.kernels)$/.test(name)
      ? { verdict: "==same", bound: "==device", status: "!=failed", "exact.kernels": "==@last" }[name]
      : ">=1";
    assert.equal(parseGate(`${name}.a.b${right}`).metric.name, name);
  }
});

Deno.test("values accept units", () => {
  const value = (gate: string) => {
    const { wanted } = parseGate(gate);
    return wanted.kind === "number" ? wanted.value : null;
  };
  assert.equal(value("batchCost.a<=0.2s"), 200);
  assert.equal(value("batchCost.a<=200"), 200);
  assert.equal(value("update.a<500us"), 0.5);
  assert.equal(value("memory.peak.a<=1.5GiB"), 1.5 * 2 ** 30);
  assert.equal(value("memory.feed.a<=2 MB"), 2e6);
  assert.equal(value("deviceBusy.a>=90%"), 0.9);
  assert.equal(value("speedup.a>=1.2x"), 1.2);
  assert.equal(value("finalLoss.a<-1e-3"), -1e-3);
  assert.deepEqual(parseGate("ips.a>=140images/s").wanted, { kind: "number", value: 140, unit: "images/s" });
});

Deno.test("values can be relative to a stored run", () => {
  assert.deepEqual(parseGate("batchCost.a<=+5%@last").wanted, { kind: "factor", run: "last", factor: 1.05 });
  assert.deepEqual(parseGate("ips.a>=95%@k3f2").wanted, { kind: "factor", run: "k3f2", factor: 0.95 });
  assert.deepEqual(parseGate("ips.a>=0.95x@baseline").wanted, { kind: "factor", run: "baseline", factor: 0.95 });
  assert.deepEqual(parseGate("ips.a>=@last~1").wanted, { kind: "factor", run: "last~1", factor: 1 });
  assert.deepEqual(parseGate("batchCost.a<=+0.003s@last").wanted, { kind: "shift", run: "last", by: 3 });
  assert.deepEqual(parseGate("memory.peak.a<=-1KiB@last").wanted, { kind: "shift", run: "last", by: -1024 });
});

Deno.test("a gate with an unknown metric, variant or comparison is refused with a hint", () => {
  refuses("speedup.sink=1.1", /equality is written ==/);
  refuses("speedup>=1.1", /expected a variant after the metric, such as speedup\.baseline/);
  refuses("speeedup.sink>=1.1", /unknown metric "speeedup"; did you mean "speedup"\?/);
  refuses("memory.peek.sink<=1GiB", /unknown metric "memory\.peek"; did you mean "memory\.peak"\?/);
  refuses("memory<=1GiB", /unknown metric "memory"/);
  refuses("verdict.sink>=faster", /verdict is a word/);
  refuses("ips.sink==140", /never exactly equal/);
  refuses("", /expected METRIC\.VARIANT/);
});

Deno.test("a difference without one stored run, or a value with one, is refused with a hint", () => {
  refuses("batchCost.sink<=5%", /name the stored run, such as 5%@last/);
  refuses("speedup.sink>=+10%", /name the stored run, such as \+10%@last or \+10%@baseline, or write 10%/);
  refuses("batchCost.sink<=200ms@last", /expected a difference before @last, such as \+200ms or -200ms/);
  refuses("batchCost.sink<=+5%@", /expected one stored run after @/);
  refuses("batchCost.sink<=+5%@a@b", /expected one stored run after @/);
});

Deno.test("an invalid value or unit is refused with the metric and what was expected", () => {
  refuses("batchCost.sink<=200mb", /unknown unit "mb" for batchCost/);
  refuses("memory.peak.sink<=2GIB", /unknown unit "GIB" for memory\.peak; did you mean "GiB"\?/);
  refuses("ips.sink>=140ms", /measured in samples per second, got the unit "ms"/);
  refuses("finalLoss.sink<=2ms", /unknown unit "ms" for finalLoss, which has no unit/);
  refuses("ips.sink>=many", /expected a value such as 140 or 140images\/s, got "many"/);
  refuses("ips.sink>=1e999", /expected a number/);
  refuses("ips.sink>=", /expected a value/);
  refuses("verdict.sink==fastr", /got "fastr"; did you mean "faster"\?/);
});

Deno.test("a misspelt operator is refused, and the message names the right one", () => {
  const meant = {
    ">=": ["=>", "= >", "≥", ">==", "=>="],
    "<=": ["=<", "≤"],
    "==": ["==="],
    "!=": ["=!", "!==", "<>", "≠"],
    ">": [">>"],
  };
  for (const [operator, signs] of Object.entries(meant)) {
    for (const sign of signs) {
      const wanted = `unknown operator "${sign.replace(" ", "")}"; did you mean "${operator}"?`;
      for (const variant of ["sink", "loader.numWorkers=2", "*"]) {
        refuses(`speedup.${variant}${sign}1.02`, new RegExp(RegExp.escape(wanted)));
      }
    }
  }
  assert.equal(parseGate("speedup.a=2 > = 1.02").operator, ">=");
  refuses("speedup.sink><1", /unknown operator "><"; use one of/);
  refuses("speedup.sink=1", /equality is written ==/);
});

Deno.test("unknown variants are refused with the nearest name", () => {
  const gates = [parseGate("ips.*>=1"), parseGate("ips.baseline>=1"), parseGate("ips.sinc>=1")];
  checkVariants(gates.slice(0, 2), ["baseline", "sink"]);
  assert.throws(() => checkVariants(gates, ["baseline", "sink"]), {
    message: 'gate "ips.sinc>=1": unknown variant "sinc"; did you mean "sink"?',
  });
});
