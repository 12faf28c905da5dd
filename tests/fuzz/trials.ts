/**
 * Runs trials of one fuzzer and prints each trial's seed and each fault as a line of JSON. `deno task fuzz` runs it as a
 * process, so that it can end a hang.
 *
 *     deno run -A tests/fuzz/trials.ts NAME SEED COUNT
 *
 * @module
 */
import { fuzz } from "./fuzzer.ts";
import { FUZZERS } from "./fuzzers.ts";

const [name, seed, count] = Deno.args;
const fuzzer = FUZZERS.find((one) => one.name === name)!;
const print = (line: object) => Deno.stderr.writeSync(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
const faults = await fuzz(fuzzer, {
  seed: Number(seed),
  count: Number(count),
  onTrial: (seed) => print({ trial: seed }),
});
for (const fault of faults) print(fault);
Deno.exit(0);
