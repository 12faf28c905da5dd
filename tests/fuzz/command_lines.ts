import { join } from "node:path";
import { parseGate } from "../../runtime/analysis/gates/parse_gate.ts";
import { declaredFlags, parseFlags } from "../../runtime/cli/flags.ts";
import { profileView } from "../../runtime/cli/profile_view.ts";
import { resultText } from "../../runtime/cli/result_text.ts";
import { tacho } from "../../runtime/cli/tacho.ts";
import { COMMANDS } from "../../runtime/cli/commands/registry.ts";
import type { RandomStream } from "../../runtime/core/random.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { openStore } from "../../runtime/store/store.ts";
import { eventful } from "../report/result_fixture.ts";
import { example } from "../scenario/fixtures.ts";
import { keepWhole } from "../store/synthetic_run.ts";
import { chance, NUMBERS, pick, TEXTS } from "./draws.ts";
import { type Fuzzer, survives } from "./fuzzer.ts";

/** Values that some flag or command takes, so that random command lines get past the first check. */
const VALUES: readonly string[] = [
  ...[
    "baseline",
    "sink",
    "type",
    "layer",
    "total",
    "3",
    "1",
    "2",
    "0:3",
    "paddle",
    "mindinsight",
    "nnc",
    "singa",
    "last",
  ],
  ...["last~1", "ips.baseline", "speedup.sink>=1.02", "batchCost.*<=+10%@baseline", "memory.peak.sink<=64MiB", "pass"],
  ...[
    "interrupted",
    "7d",
    "2026-01-01",
    "low-power",
    "sink=0,10",
    "amp=O0",
    "depth=20",
    "json",
    "csv",
    "synthetic",
    "set",
  ],
];

/** Commands that end by themselves, and neither start a process nor write outside the store. */
const SAFE = COMMANDS.map(({ name }) => name).filter((name) =>
  !["run", "report", "repeat", "verify", "lock", "resume", "doctor", "peaks", "serve"].includes(name)
);

/** Exit status of an error that is not foreseen. */
const UNEXPECTED = 70;

function word(random: RandomStream): string {
  const draw = random.uniform();
  if (draw < 0.6) return pick(random, VALUES);
  return draw < 0.8 ? String(pick(random, NUMBERS)) : pick(random, TEXTS);
}

/** Command lines of scripts: parsed, resolved, and used to print a result. */
export const scriptFlags: Fuzzer = {
  name: "flags of scripts",
  few: 200,
  begin() {
    const flags = declaredFlags();
    const result = eventful();
    return async (random) => {
      const args = Array.from({ length: random.below(6) }, () => {
        const { name, value } = pick(random, flags);
        if (chance(random, 0.05)) return [word(random)];
        if (chance(random, 0.2)) return [pick(random, ["sink=0,10", "amp=O0", "depth=20", "loader.batchSize=4"])];
        if (value === "none" || chance(random, 0.1)) return [chance(random, 0.05) ? `${name}x` : name];
        return chance(random, 0.3) ? [`${name}=${word(random)}`] : [name, word(random)];
      }).flat();
      await survives(JSON.stringify(args), () => {
        const parsed = parseFlags(args, { command: "script", helpAfter: () => "", helpWidth: 80, write: () => {} });
        if (parsed === null) return;
        profileView(parsed);
        for (const gate of parsed.gate ?? []) parseGate(gate);
        resolveScenario(example, { ...parsed, dataDir: parsed.data, bottleneck: parsed.bottleneck });
        resultText(result, parsed);
      });
    };
  },
};

/** Command lines of `tacho` on a store of two runs. */
export const commands: Fuzzer = {
  name: "commands",
  few: 120,
  begin(root) {
    const [good, folder, work] = ["good", "store", "work"].map((name) => join(root, name)) as [string, string, string];
    Deno.mkdirSync(work);
    {
      using store = openStore(good);
      for (let i = 0; i < 2; i++) keepWhole(store, 100 + i);
    }
    const flags = [
      "--json",
      "--csv",
      "--limit",
      "--scenario",
      "--since",
      "--status",
      "--keep",
      "--dry-run",
      "--adapter",
    ]
      .concat("--older-than", "--all", "--gate", "--verbosity", "--log", "--raw", "--top", "--format", "--help");
    return async (random) => {
      const name = chance(random, 0.95) ? pick(random, SAFE) : word(random);
      const rest = Array.from(
        { length: random.below(5) },
        () => chance(random, 0.4) ? pick(random, flags) : word(random),
      );
      if (rest.includes("-o") || SAFE.every((safe) => safe !== name) && COMMANDS.some((one) => one.name === name)) {
        return;
      }
      const args = [name, ...rest, "--store", folder];
      Deno.mkdirSync(folder);
      Deno.copyFileSync(join(good, "runs.sqlite"), join(folder, "runs.sqlite"));
      // Commands may write files by random names
      const before = Deno.cwd();
      Deno.chdir(work);
      const { status, errors } = await silently(() => tacho(args)).finally(() => Deno.chdir(before));
      Deno.removeSync(folder, { recursive: true });
      if (status === UNEXPECTED) throw new Error(`${JSON.stringify(args)}: ${errors}`);
    };
  },
};

/** Runs an action without output, and returns its status and what it wrote to stderr. */
async function silently(action: () => Promise<number>): Promise<{ status: number; errors: string }> {
  const [out, err] = [Deno.stdout.writeSync, Deno.stderr.writeSync];
  let errors = "";
  Deno.stdout.writeSync = (bytes) => bytes.length;
  Deno.stderr.writeSync = (bytes) => {
    errors += new TextDecoder().decode(bytes);
    return bytes.length;
  };
  try {
    return { status: await action(), errors };
  } finally {
    [Deno.stdout.writeSync, Deno.stderr.writeSync] = [out, err];
  }
}
