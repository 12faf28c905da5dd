import { match, strictEqual } from "node:assert/strict";
import { silenceOf } from "../../runtime/cli/silent_script.ts";

Deno.test("a script without a scenario or a call of run() is recognized; one that may do something is not", () => {
  const scenario = "import { run, scenario } from '@tacho/tacho';\nexport default scenario({ model: mlp() });\n";
  match(silenceOf(scenario)!, /^has no call of run\(\), so nothing was measured; end it with: if/);
  match(silenceOf(`${scenario}// if (import.meta.main) await run();\n/** await run() */`)!, /^has no call of run/);
  strictEqual(silenceOf(`${scenario}if (import.meta.main) await run();\n`), null);
  strictEqual(silenceOf(`${scenario}export const result = measure(scenario);\n`), null);
  for (const text of ["", "export default 3\n", "import { mlp } from '@tacho/tacho';\nexport default mlp();\n"]) {
    match(silenceOf(text)!, /^has no scenario, so there is nothing to run/, text);
  }
  for (const text of ["console.log(1);\n", "import './other.ts';\n", "await go();\n", "for (;;) step();\n"]) {
    strictEqual(silenceOf(text), null, text);
  }
});
