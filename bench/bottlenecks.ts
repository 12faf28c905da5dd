/**
 * Counts how often the four scenarios of `scripts/bottlenecks.ts` are classified correctly. Each run is a separate
 * process.
 *
 *     deno task bench:bottlenecks --runs 20
 *     deno task bench:bottlenecks --runs 20 --variants host,balanced width=32
 */
import { parseArgs } from "node:util";
import type { StepBound } from "../runtime/result/bottleneck.ts";
import { type Result, resultSchema } from "../runtime/result/schema.ts";

const EXPECTED: Readonly<Record<string, StepBound>> = {
  input: "input",
  host: "host",
  device: "device",
  balanced: "none",
};

interface Count {
  /** Numbers of runs by the verdict of the ablations, and by the verdict of the rules. */
  readonly arms: Map<string, number>;
  readonly rules: Map<string, number>;
  readonly wrong: string[];
}

const { values, positionals } = parseArgs({
  options: { runs: { type: "string", default: "20" }, variants: { type: "string" } },
  allowPositionals: true,
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) {
  throw new Error(`--runs: expected a whole number of at least 1, got "${values.runs}"`);
}

async function once(): Promise<Result> {
  const picked = values.variants === undefined ? [] : ["--variants", values.variants];
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/bottlenecks.ts", "--no-store", "--quiet", "--json", "-", ...picked, ...positionals],
    cwd: new URL("..", import.meta.url),
    stdout: "piped",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("scripts/bottlenecks.ts failed");
  return resultSchema.parse(JSON.parse(new TextDecoder().decode(stdout)));
}

function add(counts: Map<string, number>, bound: string): void {
  counts.set(bound, (counts.get(bound) ?? 0) + 1);
}

function list(counts: ReadonlyMap<string, number>): string {
  return [...counts].sort((a, b) => b[1] - a[1]).map(([bound, count]) => `${bound} ${count}`).join(", ");
}

const counts = new Map<string, Count>();
const start = performance.now();
for (let run = 1; run <= runs; run++) {
  for (const { name, bottleneck } of (await once()).variants) {
    if (!counts.has(name)) counts.set(name, { arms: new Map(), rules: new Map(), wrong: [] });
    const count = counts.get(name)!;
    const { bound = "–", reason = "" } = bottleneck?.byArms ?? {};
    add(count.arms, bound);
    add(count.rules, bottleneck?.byRules?.bound ?? "–");
    if (bound !== EXPECTED[name]) count.wrong.push(`${name}, run ${run}: ${bound}, ${reason}`);
  }
  console.error(
    `run ${run}/${runs}, ${((performance.now() - start) / 1000).toFixed(0)} s, load ${Deno.loadavg()[0]!.toFixed(1)}`,
  );
}

console.log(`${"scenario".padEnd(10)}${"is".padEnd(8)}${"right".padEnd(9)}${"by ablations".padEnd(32)}by rules`);
for (const [name, { arms, rules, wrong }] of counts) {
  const right = `${runs - wrong.length}/${runs}`;
  console.log(`${name.padEnd(10)}${EXPECTED[name]!.padEnd(8)}${right.padEnd(9)}${list(arms).padEnd(32)}${list(rules)}`);
}
const wrong = [...counts.values()].flatMap((count) => count.wrong);
for (const line of wrong) console.log(line);
if (wrong.length > 0) Deno.exit(1);
