/**
 * Runs the test data of the ONNX standard (Debian's libonnx-testdata): for each case a model, inputs and outputs. The fast set
 * runs a third of them. Those that are not supported are listed.
 */
import { deepStrictEqual } from "node:assert/strict";
import { sampled } from "../support/full.ts";
import { difference, runOnnxCase } from "../support/onnx_case.ts";
import { isUnsupported, MISSING_OPERATORS } from "./unsupported.ts";

const DATA = "/usr/share/libonnx-testdata/data";

let installed = true;
try {
  Deno.statSync(DATA);
} catch {
  installed = false;
}

for (const group of ["node", "simple", "pytorch-converted", "pytorch-operator"]) {
  Deno.test({
    name: `ONNX's test data: ${group}`,
    ignore: !installed,
    async fn() {
      const wrong: string[] = [];
      const names = Array.from(Deno.readDirSync(`${DATA}/${group}`), ({ name }) => name).sort();
      const supported = names.filter((name) => !isUnsupported(`${group}/${name}`));
      for (const name of sampled(supported, Math.max(2, Math.ceil(supported.length / 5)))) {
        const problem = await problemOf(`${DATA}/${group}/${name}`);
        if (problem !== null) wrong.push(`${group}/${name}: ${problem}`);
      }
      deepStrictEqual(wrong.sort(), []);
    },
  });
}

/** Returns what is wrong, or null. Integers are constants where the operator needs them, such as those of a shape. */
async function problemOf(folder: string): Promise<string | null> {
  const mode = folder.endsWith("_training_mode") ? "train" : "infer";
  const problems: string[] = [];
  for (const constants of ["integers", "none", "all"] as const) {
    try {
      const problem = (await runOnnxCase(folder, constants, mode)).map((pair) => difference(pair)).find((found) =>
        found !== null
      );
      if (problem == null) return null;
      problems.push(problem);
    } catch (error) {
      const { message } = error as Error;
      if (message.includes("operators that Tacho does not have") && isListed(message)) return null;
      problems.push(message);
    }
  }
  return problems[0]!;
}

/** Returns true if all operators that are missing are known to be. */
function isListed(message: string): boolean {
  return [...message.matchAll(/^ {2}([\w.]+): \d/gm)].every(([, name]) => MISSING_OPERATORS.includes(name!));
}
