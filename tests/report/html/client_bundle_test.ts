import { strictEqual } from "node:assert/strict";
import { BUNDLE, bundleClient, bundlerProblem } from "../../bundle.ts";

const problem = await bundlerProblem();
if (problem !== null) {
  console.error(`The test of the page's bundled client is skipped: esbuild does not start (${problem})`);
}

Deno.test({
  name: "the bundled client is up to date",
  ignore: problem !== null,
  fn: async () => {
    const kept = await Deno.readTextFile(new URL(`../../../${BUNDLE}`, import.meta.url));
    strictEqual(
      kept.replaceAll("\r\n", "\n"),
      await bundleClient(),
      `${BUNDLE} is not up to date: run "deno task bundle"`,
    );
  },
});
