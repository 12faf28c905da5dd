/** Tests of `render()`, `compareResults()` and `checkGates()` on hand-made results. */
import assert from "node:assert/strict";
import {
  type CheckedGate,
  checkGates,
  compareResults,
  InputError,
  readResult,
  render,
  type RenderOptions,
} from "../../mod.ts";
import { renderNotebook } from "../../runtime/report/notebook/notebook.ts";
import { findings, judged } from "../report/judged_fixture.ts";
import { profiledResult } from "../report/profile_fixture.ts";
import { metric, noMetrics, result, variant } from "../report/result_fixture.ts";

Deno.test("a result is rendered in each format", async () => {
  const measured = judged();
  const [terminal, markdown, html, csv, json] = await Promise.all(
    (["terminal", "markdown", "html", "csv", "json"] as const).map((format) => render(measured, { format })),
  );
  assert.equal(await render(measured), terminal);
  assert.match(terminal!, /^baseline +\S+ /m);
  assert.match(markdown!, /^# .+\n[^]*^\| variant .*\|$[^]*^## How to reproduce$/m);
  assert.match(html!, /^<!DOCTYPE html>[^]*<\/html>\n$/);
  const [heading, first] = csv!.split("\n");
  assert.match(heading!, /^variant,/);
  assert.equal(first!.split(",").length, heading!.split(",").length);
  assert.deepEqual(readResult(JSON.parse(json!)), measured);
});

Deno.test("sections select and order parts; those that were not measured are left out", async () => {
  const profiled = profiledResult();
  const ops = await render(profiled, { sections: ["ops", "environment"] });
  assert.match(ops, /^Ops[^]*\n\nEnvironment/);
  assert.doesNotMatch(ops, /image/);
  assert.match(await render(profiled, { sections: ["environment", "ops"] }), /^Environment[^]*\n\nOps/);
  assert.match(await render(profiled, { sections: ["profile"] }), /^Step trace[^]*^Ops/m);
  assert.match(await render(profiled, { format: "markdown", sections: ["matrix"] }), /^## [^]*\n\n## /);
  assert.match(await render(profiled, { format: "csv", sections: ["profile"] }), /^function,layer,type,ms,variant,/);
  assert.equal(await render(judged(), { sections: ["ops"] }), "");
  assert.match(await render(judged(), { sections: ["matrix"], explain: true }), /^[^]{2000}/);
});

Deno.test("a program's texts name no flags of the command line", async () => {
  const { variants: [baseline, ...others], ...run } = judged();
  const adapted = { adapters: ["software"], changes: [], omitted: ["all"] };
  const scenario = { ...run.scenario, adapted };
  const result = { ...run, scenario, variants: [{ ...baseline!, findings }, ...others] };
  const { "text/plain": text, "text/html": html } = renderNotebook(result);
  for (const shown of [await render(result), text, html.replace(/<style>[^]*<\/style>/, "")]) {
    assert.match(shown, /for a software adapter: without all/);
    assert.match(shown, /Advice, by predicted gain/);
    assert.doesNotMatch(shown, /(?<!-)--[a-z]/);
  }
});

Deno.test("width limits the lines of a terminal, and colours are off unless asked for", async () => {
  const measured = profiledResult();
  for (const width of [60, 80]) {
    const lines = (await render(measured, { width })).split("\n");
    assert.ok(lines.every((line) => line.length <= width), lines.find((line) => line.length > width));
  }
  assert.ok(!(await render(measured)).includes("\x1b"));
  assert.ok((await render(measured, { color: true })).includes("\x1b["));
});

Deno.test("wrong options of render() are errors that name the fix", async () => {
  const wrong: [object, RegExp][] = [
    [{ format: "pdf" }, /^render\(\)\.format is "pdf"; expected one of terminal, markdown/],
    [{ sections: ["opps"] }, /^render\(\): terminal has no section "opps"; did you mean "ops"\?$/],
    [{ format: "markdown", sections: ["profile"] }, /^render\(\): markdown has no section "profile"/],
    [{ format: "html", sections: ["ops"] }, /^render\(\): sections: html is always whole/],
    [{ widht: 80 }, /^render\(\) has no "widht"; did you mean "width"\?$/],
  ];
  for (const [options, message] of wrong) {
    await assert.rejects(render(judged(), options as RenderOptions), (error) => {
      assert.ok(error instanceof InputError);
      assert.match(error.message, message);
      return true;
    });
  }
});

/** A result with one variant of this throughput, in three blocks that vary by one per cent. */
function throughput(value: number) {
  const blocks = [0.99, 1, 1.01].map((factor, round) => ({
    ...{ round, position: 0, samples: 320, steps: [] },
    wall: 320_000 / (value * factor),
  }));
  const metrics = { ...noMetrics, ips: metric(value, "images/s") };
  return result([variant("baseline", { blocks, metrics, losses: [2, 1, value] })]);
}

Deno.test("results are compared metric by metric", async () => {
  const { environment, variants } = await compareResults(throughput(100), throughput(150), { metrics: ["ips"] });
  assert.deepEqual(environment, []);
  const [{ name, statuses, metrics, losses }] = variants as [typeof variants[0]];
  assert.deepEqual([name, statuses, losses], ["baseline", ["ok", "ok"], { steps: 3, firstDifference: 2 }]);
  const [{ metric, then, now, change }] = metrics as [typeof metrics[0]];
  assert.deepEqual([metric, then!.value, now!.value, then!.unit], ["ips", 100, 150, "images/s"]);
  assert.deepEqual([change!.by, change!.value], ["ratio", 1.5]);
  assert.ok(change!.low! > 1.4 && change!.high! < 1.6, Deno.inspect(change));
  await assert.rejects(compareResults(throughput(1), throughput(1), { metrics: ["batchCosts"] }), {
    name: "InputError",
    message: 'compareResults(): unknown metric "batchCosts"; did you mean "batchCost"?',
  });
});

Deno.test("gates hold, fail or are undecided, also against another result", async () => {
  const now = throughput(100);
  const states = async (gate: string, options = {}) => {
    const { passed, gates } = await checkGates(now, [gate], options);
    return [passed, ...gates.map(({ state }: CheckedGate) => state)];
  };
  assert.deepEqual(await states("ips.baseline>=90"), [true, "pass"]);
  assert.deepEqual(await states("ips.baseline>=110"), [false, "fail"]);
  assert.deepEqual(await states("ips.baseline>=99.9"), [false, "undecided"]);
  assert.deepEqual(await states("ips.baseline>=99.9", { undecided: "pass" }), [true, "undecided"]);
  assert.deepEqual(await states("accuracy.baseline>=0.5"), [false, "missing"]);
  const results = { before: throughput(150) };
  assert.deepEqual(await states("ips.baseline>=-10%@before", { results }), [false, "fail"]);
  const { gates } = await checkGates(now, ["ips.*>=-50%@before"], { results });
  assert.deepEqual([gates[0]!.gate, gates[0]!.variant, gates[0]!.value], ["ips.*>=-50%@before", "baseline", 100]);
  assert.deepEqual([gates[0]!.unit, gates[0]!.compared!.by, gates[0]!.compared!.limit], ["images/s", "ratio", 0.5]);
});

Deno.test("gates that are malformed, or name an unknown variant or result, are errors", async () => {
  const wrong: [string, RegExp][] = [
    ["ips.baseline", /expected METRIC\.VARIANT/],
    ["ips.bassline>=1", /unknown variant "bassline"; did you mean "baseline"/],
    ["ips.baseline>=@before", /names the run "before"; pass results: \{ before \}, or store: true/],
  ];
  for (const [gate, message] of wrong) {
    await assert.rejects(checkGates(throughput(1), [gate]), { name: "InputError", message });
  }
});
