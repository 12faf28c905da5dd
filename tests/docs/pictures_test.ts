/** The README's pictures show one run; its result is kept, and the README quotes it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SOFTWARE } from "../../runtime/scenario/adapters.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { headlineText } from "../../runtime/report/headline.ts";
import resnet from "../../scripts/resnet.ts";
import { hashesOfShown, picturedResult, SHOWN } from "../support/pictured_result.ts";

const ROOT = join(import.meta.dirname!, "../..");

Deno.test("the README quotes the headline of the run in its pictures", async () => {
  const readme = (await Deno.readTextFile(join(ROOT, "README.md"))).replaceAll(/\s+/g, " ");
  const sentence = headlineText(await picturedResult());
  assert(readme.includes(sentence), sentence);
});

Deno.test("the run in the pictures has the settings that the script has now", async () => {
  const { adapted, variants } = resolveScenario(resnet, { adapters: [SOFTWARE] });
  const { scenario, variants: pictured } = await picturedResult();
  assert.deepEqual(scenario.adapted, adapted);
  assert.deepEqual(pictured.map(({ name }) => name), variants.map(({ name }) => name));
});

Deno.test("the terminal and the page look as they did when the pictures were made", async () => {
  const made = JSON.parse(await Deno.readTextFile(SHOWN));
  assert.deepEqual(
    hashesOfShown(await picturedResult()),
    made,
    "make new pictures: deno run -A scripts/resnet.ts --report out && deno task pictures out",
  );
});
