import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { decodeOutput, encodeOutput, LARGEST_OUTPUT } from "../../../runtime/attach/programs/output_value.ts";
import { command, program } from "../../../mod.ts";
import { runScenario } from "../../experiment/running.ts";

const measure = { steps: 2, skip: 1, maxSkip: 1, rounds: 2 };

Deno.test("programs that report other outputs than the baseline are invalid, with the place and both values", async () => {
  const file = join(import.meta.dirname!, "../../fixtures/programs/outputs.ts");
  const reports = (...args: string[]) =>
    program([Deno.execPath(), "run", "--no-check", file, ...args], { steps: "mark", profile: false });
  const programs = {
    ...{ a: reports(), same: reports(), wrong: reports("third=0.51"), nan: reports("third=NaN") },
    ...{ shorter: reports("length=5"), close: reports("third=0.5001") },
  };
  const tolerant = { ...measure, outputs: { relative: 1e-3 } };
  const { variants } = await runScenario({ name: "outputs", ...{ programs, measure: tolerant } });
  const outputs = variants.map(({ outputs }) => outputs?.difference ?? null);
  deepEqual(outputs, [
    null,
    null,
    { where: "output 1 data[2]", value: "0.5099999904632568", baseline: "0.5" },
    { where: "output 1 data[2]", value: "NaN", baseline: "0.5" },
    { where: "output 1 shape[0]", value: "5", baseline: "6" },
    null,
  ]);
  deepEqual(variants.map(({ verdict }) => verdict === "invalid"), [false, false, true, true, true, false]);
  match(
    variants[2]!.comparison!.reason,
    /^the outputs differ: output 1 data\[2\] is 0\.50\d+, of a 0\.5; measure\.outputs/,
  );
});

Deno.test(
  "what commands write is compared: stdout, text, JSON and bytes",
  { ignore: Deno.build.os !== "linux" },
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      const compare = async (output: string, a: string, b: string) => {
        const programs = { a: command(a, { output, cwd: folder }), b: command(b, { output, cwd: folder }) };
        const { variants } = await runScenario({ name: "outputs", ...{ programs, measure: { ...measure, steps: 1 } } });
        equal(variants[1]!.status, "ok", variants[1]!.error?.message);
        return variants[1]!.outputs!.difference;
      };
      equal(await compare("stdout", "echo 1 2", "echo 1 2"), null);
      deepEqual(await compare("stdout", "echo 1 2", "echo 1 3"), { where: "output line 1", value: "3", baseline: "2" });
      deepEqual(
        await compare("out.json", `echo '{"x":[1,2]}' >out.json`, `echo '{"x": [1, 4]}' >out.json`),
        { where: "output x[1]", value: "4", baseline: "2" },
      );
      deepEqual(
        await compare("out", "printf '\\377\\001' >out", "printf '\\377\\002' >out"),
        { where: "output [1]", value: "2", baseline: "1" },
      );
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test("an output survives JSON with all its numbers, and one that is too large is left out", () => {
  const output = { a: Float64Array.of(1.5, NaN, -Infinity), b: [true, "x", null], c: { d: 10n } };
  const { value } = encodeOutput(output)!;
  deepEqual(decodeOutput(JSON.parse(JSON.stringify(value))), {
    ...{ a: [1.5, NaN, -Infinity], b: [true, "x", null], c: { d: 10 } },
  });
  equal(encodeOutput(new Uint8Array(LARGEST_OUTPUT.values + 1)), null);
});
