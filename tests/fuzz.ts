/**
 * Runs the fuzzers at full size: damaged and random scenarios, command lines, data sets, lock files and stores. Prints
 * each input that Tacho does not survive: a raw error, a hang, or memory without bound. Random programs of tensor ops are
 * compared with PyTorch, if `python3` has it.
 *
 *     deno task fuzz                                   # 2000 trials of each, seeds from 1
 *     deno task fuzz --seed 1000000 --count 20000
 *     deno task fuzz --only stores --seed 1234 --count 1
 *
 * @module
 */
import { parseArgs } from "node:util";
import { join } from "node:path";
import type { Fault } from "./fuzz/fuzzer.ts";
import { FUZZERS } from "./fuzz/fuzzers.ts";

/** Time after which a trial counts as hung, in ms. */
const TIMEOUT = 60_000;
/** Memory of a process at which it is ended, in bytes. */
const LARGEST_MEMORY = 3 * 2 ** 30;

const root = join(import.meta.dirname!, "..");
const { values: { seed, count, only } } = parseArgs({
  args: Deno.args,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "2000" },
    only: { type: "string" },
  },
});

let total = 0;
for (const { name, isPossible } of FUZZERS.filter((fuzzer) => only === undefined || fuzzer.name === only)) {
  if (!(await isPossible?.() ?? true)) {
    console.log(`${name}: skipped, this machine lacks what it needs`);
    continue;
  }
  const start = performance.now();
  const faults = await trials(name);
  total += faults.length;
  for (const { seed, reason } of faults) console.log(`${name}, seed ${seed}: ${reason}\n`);
  console.log(
    `${name}: ${count} trials, ${faults.length} faults, ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
}
console.log(`fuzz: ${total} faults`);
Deno.exit(total > 0 ? 1 : 0);

/** Runs the trials of a fuzzer in a process. After a hang, another process continues behind it. */
async function trials(name: string): Promise<Fault[]> {
  const faults: Fault[] = [];
  const end = Number(seed) + Number(count);
  for (let next = Number(seed); next < end;) {
    const { last, reason } = await run(name, next, end - next, (fault) => faults.push(fault));
    if (reason === null) break;
    faults.push({ seed: last, reason });
    next = last + 1;
  }
  return faults;
}

/** Runs one process, and returns its last trial and the reason why it ended early. */
async function run(name: string, first: number, count: number, onFault: (fault: Fault) => void) {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--quiet",
      "--lock=tests/deno.lock",
      "tests/fuzz/trials.ts",
      name,
      `${first}`,
      `${count}`,
    ],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let [last, seen, reason] = [first, performance.now(), null as string | null];
  const watch = setInterval(() => {
    if (performance.now() - seen > TIMEOUT) reason = `no end within ${TIMEOUT / 1000} s`;
    else if (memoryOf(child.pid) > LARGEST_MEMORY) reason = `more than ${LARGEST_MEMORY / 2 ** 30} GiB of memory`;
    if (reason !== null) child.kill("SIGKILL");
  }, 500);
  let text = "";
  for await (const piece of child.stderr.pipeThrough(new TextDecoderStream())) {
    const lines = `${text}${piece}`.split("\n");
    text = lines.pop()!;
    for (const line of lines) {
      const event = line.startsWith("{") ? JSON.parse(line) as Partial<Fault> & { trial?: number } : {};
      seen = performance.now();
      if (event.trial !== undefined) last = event.trial;
      else if (event.seed !== undefined) onFault(event as Fault);
    }
  }
  const { code, signal } = await child.status;
  clearInterval(watch);
  if (reason === null && code !== 0) reason = signal === null ? `ended with status ${code}` : `ended by ${signal}`;
  return { last, reason };
}

/** Returns the resident memory of a process in bytes; 0 where it is unknown. */
function memoryOf(pid: number): number {
  try {
    const pages = Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1];
    return Number(pages) * 4096;
  } catch {
    return 0;
  }
}
