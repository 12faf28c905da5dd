import assert from "node:assert/strict";
import { program } from "../../runtime/scenario/program.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { altered, namesOf, refuses } from "./fixtures.ts";

const only = { name: "only", programs: { a: program("deno run -A a.ts"), b: program(["deno", "b.ts"]) } };

Deno.test("a scenario of programs only has the settings of a measurement", () => {
  const { programs, variants, baseline, measure, seed } = resolveScenario(only, { overrides: ["measure.rounds=5"] });
  assert.deepEqual([variants, baseline, measure.rounds, seed], [[], "a", 5, 1]);
  assert.deepEqual(programs.map(({ name, words }) => ({ name, words })), [
    { name: "a", words: ["deno", "run", "-A", "a.ts"] },
    { name: "b", words: ["deno", "b.ts"] },
  ]);
});

Deno.test("programs stand beside variants, can be the baseline, and are picked by name", () => {
  const mixed = altered({ programs: only.programs, baseline: "b" });
  const resolved = resolveScenario(mixed, { variants: ["baseline", "b"] });
  assert.deepEqual(namesOf(resolved), ["baseline"]);
  assert.deepEqual([resolved.programs.map(({ name }) => name), resolved.baseline], [["b"], "b"]);
  const alone = resolveScenario(mixed, { variants: ["a"] });
  assert.deepEqual([alone.variants, alone.programs.length, alone.baseline], [[], 1, "a"]);
  const excluded = resolveScenario(mixed, { exclude: ["b"] });
  assert.deepEqual([excluded.programs.map(({ name }) => name), excluded.baseline], [["a"], "baseline"]);
});

Deno.test("variables before a command join those of the options", () => {
  const programs = { a: program("MODE=fast SIZE=1 deno run a.ts", { env: { SIZE: "2" } }) };
  assert.deepEqual(resolveScenario({ name: "env", programs }).programs[0]!.env, { MODE: "fast", SIZE: "2" });
});

Deno.test("wrong programs are refused with their place", () => {
  const withProgram = (a: unknown) => ({ name: "wrong", programs: { a } });
  refuses(
    withProgram("deno run a.ts"),
    {},
    /^programs\.a: expected program\("deno run \.\.\."\) or command\("\.\.\."\), got "deno run a\.ts"/,
  );
  refuses(
    withProgram(program("python a.py")),
    {},
    /^programs\.a\.command: .*expected a command that begins with deno, got "python"/,
  );
  refuses(withProgram(program('deno run "a.ts')), {}, /^programs\.a\.command: .*a quote is not closed/);
  refuses(withProgram(program("deno run a.ts", { steps: "often" })), {}, /^programs\.a\.steps: expected auto, wait/);
  refuses(withProgram(program("deno run a.ts", { perStep: 0 })), {}, /^programs\.a\.perStep: expected at least 1/);
  refuses(
    withProgram({ ...program("deno run a.ts"), perSteps: 1 }),
    {},
    'programs.a.perSteps: unknown key; did you mean "perStep"?',
  );
  refuses(altered({ programs: { sink: only.programs.a } }), {}, /^programs\.sink: is the name of a variant, too/);
  refuses(only, { overrides: ["amp=O2"] }, "amp: has no effect on programs; change their commands in the script");
  refuses(only, { overrides: ["measure.rounds=2,3"] }, /^measure\.rounds: applies to the whole scenario/);
  refuses(only, { overrides: ["epochs=2"] }, /^epochs: needs a variant/);
  const cold = { ...only.programs.a, start: "cold" };
  refuses({ ...only, programs: { cold, b: only.programs.b } }, {}, /^programs\.cold\.start: cold starts can only be/);
  refuses(only, { variants: ["c"] }, /^variants: unknown variant "c"/);
});
