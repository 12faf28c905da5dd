import assert from "node:assert/strict";
import { join } from "node:path";
import type { Result } from "../../mod.ts";

const root = join(import.meta.dirname!, "..", "..");

/**
 * Trains a script's GPT of width 16 and context 24 on a short text of 17 characters, one step per block, and returns the
 * result.
 */
export async function runOnText(script: string, settings: readonly string[]): Promise<Result> {
  const folder = await Deno.makeTempDir({ prefix: "tacho-text-" });
  try {
    const file = join(folder, "text.txt");
    await Deno.writeTextFile(file, "abcdefg hijklmnop\n".repeat(60));
    const small = ["heads=2", "width=16", "context=24", `data.file=${file}`];
    const once = ["--settings-for=none", "--steps=1", "--skip=1", "--rounds=1", "--no-store", "--json=-"];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", `scripts/${script}`, ...small, ...settings, ...once],
      cwd: root,
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout)) as Result;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
