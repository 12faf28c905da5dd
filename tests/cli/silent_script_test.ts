import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { silenceOf } from "../../runtime/cli/silent_script.ts";
import { runScript } from "./tacho_process.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

Deno.test("a script without a scenario or a call of run() is recognized; one that may do something is not", () => {
  const scenario = "import { run, scenario } from '@tacho/tacho';\nexport default scenario({ model: mlp() });\n";
  match(silenceOf(scenario)!, /^has no call of run\(\), so nothing was measured; end it with: if/);
  match(silenceOf(`${scenario}// if (import.meta.main) await run();\n/** await run() */`)!, /^has no call of run/);
  strictEqual(silenceOf(`${scenario}if (import.meta.main) await run();\n`), null);
  strictEqual(silenceOf(`${scenario}export const result = measure(scenario);\n`), null);
  for (
    const text of [
      "",
      "export default 3\n",
      "console.log(1);\n",
      "import { mlp } from '@tacho/tacho';\nexport default mlp();\n",
    ]
  ) {
    match(silenceOf(text)!, /^has no scenario, so there is nothing to run/, text);
  }
  for (
    const text of [
      "go();\n",
      "import './other.ts';\n",
      "await go();\n",
      "for (;;) step();\n",
      "Deno.test('a', go);\n",
    ]
  ) {
    strictEqual(silenceOf(text), null, text);
  }
});

Deno.test("a script that defines a scenario and never runs it ends with an error; one that imports a scenario does not", async () => {
  await using temporary = await temporaryFolder({ dir: import.meta.dirname!, prefix: ".silent-" });
  const { path: folder } = temporary;
  const file = join(folder, "net.ts");
  await Deno.writeTextFile(
    file,
    'import { scenario } from "../../../mod.ts";\nexport default scenario({ name: "net", data: null });\n',
  );
  const other = join(folder, "other.ts");
  await Deno.writeTextFile(other, 'import net from "./net.ts"; console.log(net.name);\n');
  const silent = await runScript(pathToFileURL(file).href, []);
  strictEqual(silent.code, 2, silent.stderr);
  match(silent.stderr, /^error: This script has no call of run\(\), so nothing was measured; end it with: if .*\n$/);
  deepStrictEqual(await runScript(pathToFileURL(other).href, []), { code: 0, stdout: "net\n", stderr: "" });
});
