import assert from "node:assert/strict";
import { join } from "node:path";
import type { Result } from "../../mod.ts";

const root = join(import.meta.dirname!, "..", "..");

Deno.test("scripts/gpt.ts trains on a text, whose characters are the vocabulary, in all variants", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tacho-gpt-" });
  try {
    const file = join(folder, "text.txt");
    await Deno.writeTextFile(file, "abcdefg hijklmnop\n".repeat(60));
    const args = ["layers=1", "heads=2", "width=16", "context=24", `data.file=${file}`, "loader.batchSize=2"];
    const flags = [
      "--settings-for",
      "none",
      "--steps",
      "1",
      "--skip",
      "1",
      "--rounds",
      "1",
      "--no-store",
      "--json",
      "-",
    ];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "scripts/gpt.ts", ...args, ...flags],
      cwd: root,
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const { variants } = JSON.parse(new TextDecoder().decode(stdout)) as Result;
    assert.deepEqual(variants.map(({ name }) => name), ["baseline", "tiled", "amp", "sink", "all"]);
    for (const { metrics, memory } of variants) {
      assert.equal(metrics.ips?.unit, "tokens/s");
      assert.ok(memory!.parameters > 0);
    }
    // 17 characters; the embedding, the positions, a block and the last norm
    const values = 17 * 16 + 24 * 16 + 12 * 16 * 16 + 13 * 16 + 2 * 16;
    assert.ok(variants[0]!.memory!.parameters >= 4 * values);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
