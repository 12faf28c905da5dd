import { strictEqual } from "node:assert/strict";
import { generateReference, REFERENCE } from "../../docs/generate.ts";

Deno.test("docs/reference.md matches the output of deno task docs", async () => {
  strictEqual(await Deno.readTextFile(REFERENCE), await generateReference(), "run deno task docs");
});
