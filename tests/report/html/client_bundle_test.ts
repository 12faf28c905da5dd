import { strictEqual } from "node:assert/strict";
import { bundle, bundlerProblem, BUNDLES } from "../../bundle.ts";

const problem = await bundlerProblem();
if (problem !== null) console.error(`Tests of bundled scripts are skipped: esbuild does not start (${problem})`);

for (const each of BUNDLES) {
  Deno.test({
    name: `${each.script} is up to date`,
    ignore: problem !== null,
    fn: async () => {
      const kept = await Deno.readTextFile(new URL(`../../../${each.script}`, import.meta.url));
      strictEqual(
        kept.replaceAll("\r\n", "\n"),
        await bundle(each),
        `${each.script} is not up to date: run "deno task bundle"`,
      );
    },
  });
}
