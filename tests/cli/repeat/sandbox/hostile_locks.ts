import type { Recipe } from "../../../../runtime/cli/repeat/recipe.ts";
import { writeLock } from "../../../../runtime/cli/repeat/lock_file.ts";
import { sha256 } from "../../../../runtime/core/sha256.ts";
import { result } from "../../../report/result_fixture.ts";

/** A module of a lock file: its text, or its text and the targets of its imports. */
type Module = string | { readonly text: string; readonly imports: Record<string, string> };

/** Returns the text of a lock file with `modules` by path, the script first. */
export function lockOf(modules: Readonly<Record<string, Module>>, more: Partial<Recipe> = {}): string {
  const sources = Object.entries(modules).map(([path, module]) => {
    const { text, imports } = typeof module === "string" ? { text: module, imports: {} } : module;
    return { path, sha256: sha256(text), text, imports, names: [] };
  });
  return writeLock({
    where: "a test",
    trusted: false,
    script: "script.ts",
    modules: sources,
    args: [],
    cwd: null,
    started: Date.UTC(2026, 0, 2),
    spec: { tacho: "0.1.0", scenario: "x", sha256: sources[0]!.sha256, seed: 1, baseline: "a", variants: [] },
    environment: result([]).environment,
    pinned: null,
    result: null,
    ...more,
  });
}
