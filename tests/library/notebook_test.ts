/** Runs cells in Deno's Jupyter kernel, over its protocol. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fullTest } from "../support/full.ts";
import { type CellOutput, JupyterKernel } from "../support/jupyter_kernel.ts";

const ROOT = join(import.meta.dirname!, "../..");

const SCENARIO = `
import { crossEntropy, measure, mlp, scenario, sgd, syntheticImages, transforms } from "@tacho/tacho";
import { displayed } from "@tacho/tacho/jupyter";
const images = { height: 4, width: 4, classes: 4, length: 64 };
const small = scenario({
  name: "small",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages(images),
  loader: { batchSize: 8 },
  measure: { steps: 2, skip: 1, rounds: 2 },
  variants: { baseline: {}, sink: { sink: 2 } },
});
`;

function displays({ messages }: CellOutput, type: string): { data: Record<string, string>; id: string }[] {
  return messages.filter((message) => message.type === type).map(({ content }) => ({
    data: content.data!,
    id: content.transient!.display_id,
  }));
}

Deno.test("a notebook shows progress in place, and results display themselves", async (t) => {
  await using kernel = await JupyterKernel.start(ROOT);

  await t.step("the result of measure()", async () => {
    const cell = await kernel.run(`${SCENARIO}const result = await measure(small);\nresult`);
    assert.equal(cell.status, "ok", JSON.stringify(cell.messages));
    const [first, ...others] = displays(cell, "display_data");
    assert.ok(first !== undefined && others.length === 0, "one display");
    const updates = displays(cell, "update_display_data");
    assert.ok(updates.length > 1 && updates.every(({ id }) => id === first.id), "which is updated");
    assert.match(updates.map(({ data }) => data["text/plain"]).join("\n"), /\d+ % /);
    assert.deepEqual(updates.at(-1)!.data, { "text/plain": "", "text/html": "" }, "and empty in the end");
    const [shown, more] = cell.messages.filter(({ type }) => type === "execute_result");
    assert.equal(more, undefined);
    const { "text/plain": text, "text/html": html } = shown!.content.data!;
    assert.match(text!, /^baseline +\d.*\n^sink +\d/m);
    assert.match(html!, /<table>[\s\S]*<td class="left ">sink<\/td>/);
    assert.match(html!, /<svg class="interval[^>]*>[\s\S]*<circle cx="\d/);
  });

  await t.step("a result that was read from JSON", async () => {
    const cell = await kernel.run("displayed(JSON.parse(JSON.stringify(result)))");
    assert.match(cell.messages[0]!.content.data!["text/html"]!, /<svg class="interval/);
    const same = await kernel.run("JSON.stringify(result) === JSON.stringify(displayed(structuredClone(result)))");
    assert.equal(same.messages[0]!.content.data!["text/plain"], "true");
  });

  const withMap = (map: string) =>
    `await measure(scenario({ ...small, data: syntheticImages({ ...images, transforms: [${map}] }), ` +
    `loader: { batchSize: 8, numWorkers: 1 }, variants: { baseline: {} } }))`;

  await t.step("functions of a cell in a data worker are refused with what to do", async () => {
    const cell = await kernel.run(withMap("transforms.map(({ data }) => data)"));
    const shown = JSON.stringify(cell.messages);
    assert.match(shown, /cannot run functions of a notebook's cells\. Move the map\(\) call to a file/);
  });

  await t.step("functions of a file reach data workers", async () => {
    const folder = await Deno.makeTempDir();
    try {
      const file = join(folder, "halve.ts");
      await Deno.writeTextFile(
        file,
        `import { transforms } from ${JSON.stringify(import.meta.resolve("../../mod.ts"))};
export const halve = transforms.map(({ data }) => data.map((value) => value / 2), { module: import.meta.url });
`,
      );
      await kernel.run(`const { halve } = await import(${JSON.stringify(file)});`);
      const cell = await kernel.run(`const halved = ${withMap("halve")};\nhalved.variants[0].status`);
      assert.equal(cell.messages.at(-1)!.content.data?.["text/plain"], '"ok"', JSON.stringify(cell.messages));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
});

fullTest("the example notebook runs, and its cells show results", async () => {
  const notebook = JSON.parse(await Deno.readTextFile(join(ROOT, "examples/10_notebook.ipynb")));
  const cells = notebook.cells.filter(({ cell_type }: { cell_type: string }) => cell_type === "code");
  await using kernel = await JupyterKernel.start(join(ROOT, "examples"));
  let shown = 0;
  for (const { source } of cells) {
    const cell = await kernel.run(source.join(""));
    assert.equal(cell.status, "ok", JSON.stringify(cell.messages));
    shown += cell.messages.filter(({ type, content }) =>
      type === "execute_result" && content.data?.["text/html"] !== undefined
    ).length;
  }
  assert.ok(shown >= 1, "a result as HTML");
});
