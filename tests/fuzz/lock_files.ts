import { join } from "node:path";
import { environmentDifferences } from "../../runtime/analysis/environment_differences.ts";
import { readLock, writeLock } from "../../runtime/cli/repeat/lock_file.ts";
import { sha256 } from "../../runtime/core/sha256.ts";
import type { RandomStream } from "../../runtime/core/random.ts";
import { result, variant } from "../report/result_fixture.ts";
import { chance, changed, damaged } from "./draws.ts";
import { type Fuzzer, survives } from "./fuzzer.ts";

const SCRIPT = "export default 1;\n";
const { environment } = result([]);

const TEXT = writeLock({
  where: "a fuzzer",
  trusted: false,
  pinned: null,
  script: "scripts/a.ts",
  modules: [{ path: "scripts/a.ts", sha256: sha256(SCRIPT), text: SCRIPT, imports: {}, names: [] }],
  args: ["amp=O0,O2", "--steps", "3"],
  cwd: null,
  started: Date.UTC(2026, 0, 2),
  spec: { tacho: "0.1.0", scenario: "a", sha256: sha256(SCRIPT), seed: 1, baseline: "a", variants: [] },
  environment,
  result: result([variant("a")]),
});

/** Lock files with damaged bytes, and forged ones, whose hashes are right. */
export const lockFiles: Fuzzer = {
  name: "lock files",
  few: 150,
  begin: (folder) => async (random) => {
    const file = join(folder, "x.lock.json");
    Deno.writeFileSync(file, chance(random, 0.3) ? damaged(random, new TextEncoder().encode(TEXT)) : forged(random));
    const lock = await survives("a lock file", () => readLock(file));
    if (lock !== null) environmentDifferences(lock.environment, environment);
  },
};

/** Changes the content of a lock file and signs it again. */
function forged(random: RandomStream): Uint8Array {
  const { sha256: _, ...content } = JSON.parse(TEXT) as Record<string, unknown>;
  let value: unknown = content;
  for (let i = random.below(3); i >= 0; i--) value = changed(random, value);
  const fields = typeof value === "object" && value !== null ? value : { value };
  const { modules } = fields as { modules?: unknown };
  if (Array.isArray(modules)) {
    for (const module of modules) if (typeof module?.text === "string") module.sha256 = sha256(module.text);
  }
  return new TextEncoder().encode(JSON.stringify({ ...fields, sha256: sha256(JSON.stringify(fields)) }));
}
