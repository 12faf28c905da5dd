import assert from "node:assert/strict";
import { join } from "node:path";
import type { Result } from "../../mod.ts";

const root = join(import.meta.dirname!, "..", "..");

Deno.test("scripts/memory.ts trains one GPT in eight variants, most of them in less memory", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tacho-memory-" });
  try {
    const file = join(folder, "text.txt");
    await Deno.writeTextFile(file, "abcdefg hijklmnop\n".repeat(60));
    const settings = ["layers=2", "heads=2", "width=16", "context=24", `data.file=${file}`, "measure.maxSkip=1"];
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
      args: ["run", "-A", "--no-check", "scripts/memory.ts", ...settings, ...flags],
      cwd: root,
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const { variants } = JSON.parse(new TextDecoder().decode(stdout)) as Result;
    assert.equal(variants.length, 8);
    const activations = new Map(variants.map(({ name, memory }) => [name, memory!.activations]));
    for (const name of ["half", "accumulate", "recompute", "all"]) {
      assert.ok(activations.get(name)! < activations.get("baseline")!, name);
    }
    const samples = variants.map(({ name, blocks }) => [name, blocks[0]!.samples] as const);
    assert.equal(new Map(samples).get("accumulate"), new Map(samples).get("baseline"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
