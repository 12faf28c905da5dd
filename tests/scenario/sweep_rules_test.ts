import assert from "node:assert/strict";
import { scenario } from "../../runtime/scenario/definition.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { altered, example, namesOf, refuses } from "./fixtures.ts";

const AXES = { amp: ["O0", "O2"], sink: [0, 10] };
const swept = (rules: Record<string, unknown>) => altered({ variants: undefined, sweep: { ...AXES, ...rules } });
const left = (rules: Record<string, unknown>, ...overrides: string[]) =>
  namesOf(resolveScenario(swept(rules), { overrides }));

Deno.test("exclude leaves combinations out by pattern, by values and by function", () => {
  const expected = ["amp=O0,sink=0", "amp=O0,sink=10", "amp=O2,sink=0"];
  assert.deepEqual(left({ exclude: "amp=O2,*=10" }), expected);
  assert.deepEqual(left({ exclude: { amp: "O2", sink: 10 } }), expected);
  assert.deepEqual(
    left({ exclude: [({ amp, sink }: Record<string, unknown>) => amp === "O2" && sink === 10] }),
    expected,
  );
  assert.deepEqual(left({ exclude: (_: unknown, name: string) => name === "amp=O2,sink=10" }), expected);
  assert.deepEqual(left({ exclude: [{ amp: "O2" }, { amp: ["O0", "O1"], sink: 10 }] }), ["amp=O0,sink=0"]);
});

Deno.test("include leaves all other combinations out, and exclude wins", () => {
  assert.deepEqual(left({ include: ["*sink=10", { amp: "O2" }], exclude: { amp: "O2", sink: 0 } }), [
    "amp=O0,sink=10",
    "amp=O2,sink=10",
  ]);
});

Deno.test("values by key are compared by value, and records by their level or kind", () => {
  const keyed = altered({
    variants: undefined,
    sweep: { amp: ["O0", { level: "O2" }], depth: [20, 56], exclude: { amp: "O2", "params.depth": 56 } },
  });
  assert.deepEqual(namesOf(resolveScenario(keyed)), ["amp=O0,depth=20", "amp=O0,depth=56", "amp=O2,depth=20"]);
});

Deno.test("the baseline is the first combination that is left", () => {
  assert.equal(resolveScenario(swept({ exclude: "amp=O0,sink=0" })).baseline, "amp=O0,sink=10");
});

Deno.test("a rule knows the value that the command line gives an axis", () => {
  const rules = { exclude: { amp: "O2", sink: 10 } };
  assert.deepEqual(left(rules, "amp=O1"), ["sink=0", "sink=10"]);
  assert.deepEqual(left(rules, "amp=O2"), ["sink=0"]);
  // A sweep on the command line replaces the script's with its rules
  assert.equal(left(rules, "amp=O1,O2", "sink=0,10").length, 4);
});

Deno.test("wrong rules are refused with their place", () => {
  refuses(swept({ exclude: 7 }), {}, /^sweep\.exclude: expected a pattern of names .*, got 7/);
  refuses(swept({ include: ["amp=*", {}] }), {}, /^sweep\.include\[1\]: expected a pattern/);
  refuses(
    swept({ exclude: { ampp: "O2" } }),
    {},
    'sweep.exclude[0].ampp: not an axis of this sweep; did you mean "amp"?',
  );
  refuses(
    swept({ exclude: "amp=O3*" }),
    {},
    'sweep.exclude[0]: "amp=O3*" selects no combination; known: amp=O0,sink=0, amp=O0,sink=10, amp=O2,sink=0, amp=O2,sink=10',
  );
  refuses(
    swept({ include: { sink: 10 }, exclude: { sink: 10 } }),
    {},
    "sweep: include and exclude leave no combination",
  );
  refuses(swept({ exclude: () => "yes" }), {}, /^sweep\.exclude\[0\]: expected a function that returns true or false/);
  const thrown = () => {
    throw new Error("no such thing");
  };
  refuses(swept({ exclude: thrown }), {}, "sweep.exclude[0]: no such thing, for amp=O0,sink=0");
  refuses(altered({ variants: undefined, sweep: { exclude: "*" } }), {}, /^sweep: expected an axis beside its rules/);
});

Deno.test("the types accept rules and ranges", () => {
  const typed = scenario({
    name: "typed",
    data: example.data as never,
    sweep: {
      "loader.batchSize": "8..32:x2",
      "loader.numWorkers": [0, 2],
      exclude: (values: { "loader.batchSize": number }) => values["loader.batchSize"] > 16,
      include: ["batchSize=*", { "loader.numWorkers": [0, 2] }],
    },
  });
  assert.equal(typed.name, "typed");
});

Deno.test("--variants takes patterns, which keep the baseline", () => {
  const pick = (...variants: string[]) => {
    const resolved = resolveScenario(example, { variants, overrides: ["amp=O0,O2", "sink=0,5,10"] });
    return [resolved.baseline, ...namesOf(resolved)];
  };
  const first = "amp=O0,sink=0";
  assert.deepEqual(pick("amp=O2,*"), [first, first, "amp=O2,sink=0", "amp=O2,sink=5", "amp=O2,sink=10"]);
  assert.deepEqual(pick("*sink=?"), [first, first, "amp=O0,sink=5", "amp=O2,sink=0", "amp=O2,sink=5"]);
  assert.deepEqual(pick("amp=O2,sink=5"), ["amp=O2,sink=5", "amp=O2,sink=5"], "a name does not");
  assert.deepEqual(pick("amp=O2", "sink=1*", "amp=O0", "sink=5"), [first, first, "amp=O0,sink=5", "amp=O2,sink=10"]);
  refuses(
    example,
    { variants: ["b8-*"] },
    'variants: no variant matches "b8-*"; known: baseline, workers, sink, amp, all',
  );
  const named = resolveScenario(altered({ baseline: "amp" }), { variants: ["s*"] });
  assert.deepEqual([named.baseline, ...namesOf(named)], ["amp", "sink", "amp"]);
});

Deno.test("--exclude leaves variants out; a pattern keeps the baseline, its name does not", () => {
  const left = (options: { variants?: string[]; exclude: string[] }) => {
    const resolved = resolveScenario(example, options);
    return [resolved.baseline, ...namesOf(resolved)];
  };
  assert.deepEqual(left({ exclude: ["a*", "sink"] }), ["baseline", "baseline", "workers"]);
  assert.deepEqual(left({ exclude: ["b*"] }).length, 5 + 1);
  assert.deepEqual(left({ exclude: ["baseline"] }), ["workers", "workers", "sink", "amp", "all"]);
  assert.deepEqual(left({ variants: ["*s*"], exclude: ["workers"] }), ["baseline", "baseline", "sink"]);
  refuses(example, { exclude: ["sinc"] }, 'exclude: unknown variant "sinc"; did you mean "sink"?');
  refuses(altered({ variants: { a: {} } }), { exclude: ["a"] }, "exclude: leaves no variant");
  const alone = /^exclude: the patterns match all variants, and leave only the baseline "baseline"; .* --variants$/;
  refuses(example, { exclude: ["*"] }, alone);
  refuses(example, { exclude: ["b*", "w*,s*,a*"] }, alone);
  assert.deepEqual(left({ exclude: ["w*", "s*", "a*"] }), ["baseline", "baseline"]);
});
