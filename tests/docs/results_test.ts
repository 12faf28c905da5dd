/** bench/RESULTS.md and the results that it is made of. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { join } from "node:path";
import { type Line, readLines, readMachines } from "../../bench/record/line.ts";
import { slugOf } from "../../bench/record/machine.ts";
import { MAX_LINES, resultsPage } from "../../bench/record/page.ts";
import { replaceLine } from "../../bench/record/recorder.ts";
import { SECTIONS } from "../../bench/record/sections.ts";
import { generateResults, RESULTS_PAGE } from "../../docs/generate.ts";
import config from "../../deno.json" with { type: "json" };
import { temporaryFolder } from "../support/temporary_folder.ts";

const LINE: Line = {
  date: "2026-11-27",
  commit: "0123456789abcdef",
  adapter: "NVIDIA GeForce RTX 4090",
  driver: "NVIDIA 570.86",
  software: false,
  cpu: "AMD Ryzen 9 7950X 16-Core Processor",
  cores: 32,
  os: "Linux 6.12",
  deno: "2.9.6",
  load: 0.25,
  command: "deno task bench:peers lenet",
  benchmark: "peers",
  case: "lenet",
  figures: { tacho_cpu_ms: 1.2345, jax_js_ratio: 2 },
};

Deno.test("bench/RESULTS.md matches the output of deno task docs, and is short", async () => {
  const page = await Deno.readTextFile(RESULTS_PAGE);
  strictEqual(page, await generateResults(), "run deno task docs");
  ok(page.split("\n").length < MAX_LINES, `${page.split("\n").length} lines`);
});

Deno.test("every result is of a task, is on the page, and shares adapter and CPU with its file", () => {
  for (const { machine, lines } of readMachines()) {
    ok(lines.length > 0, machine);
    for (const { adapter, cpu, benchmark, command, case: name } of lines) {
      deepStrictEqual({ adapter, cpu }, { adapter: lines[0]!.adapter, cpu: lines[0]!.cpu }, machine);
      // A flag of another task makes this section
      const task = benchmark === "isa" ? "kernels --isa" : benchmark;
      ok(`bench:${task.split(" ")[0]}` in config.tasks, `${machine}: ${benchmark}`);
      ok(`${command} `.startsWith(`deno task bench:${task} `), `${machine}: ${command}`);
      const section = SECTIONS.find((section) => section.benchmark === benchmark);
      ok(section !== undefined, `${machine}: ${benchmark} has no section`);
      ok(
        "pivot" in section || section.tables.some(({ cases }) => cases.test(name)),
        `${machine}: ${benchmark}, ${name}`,
      );
    }
    const cases = lines.map(({ benchmark, case: name }) => `${benchmark}, ${name}`);
    strictEqual(new Set(cases).size, cases.length, `${machine}: two lines of one case`);
  }
});

Deno.test("the page says that no GPU was measured until one is", () => {
  const software = { machine: "llvmpipe", lines: [{ ...LINE, software: true }] };
  match(resultsPage([software]), /\| – \| no GPU has been measured yet \|/);
  const page = resultsPage([software, { machine: "rtx", lines: [LINE] }]);
  strictEqual(page.includes("no GPU"), false);
  match(page, /\| lenet, rtx \| 1\.23 \| 2 \|/);
  match(page, /- `deno task bench:peers lenet`, rtx, 2026-11-27, commit 01234567, load 0\.3/);
});

Deno.test("a line replaces the one of the same benchmark and case", async () => {
  await using temporary = await temporaryFolder({ prefix: "tacho-results-" });
  const { path: folder } = temporary;
  const path = join(folder, "machine.jsonl");
  deepStrictEqual(readLines(path), []);
  const other = { ...LINE, case: "vit" };
  const again = { ...LINE, figures: { tacho_cpu_ms: null } };
  for (const line of [LINE, other, again]) replaceLine(path, line);
  deepStrictEqual(readLines(path), [again, other]);
  deepStrictEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["machine.jsonl"]);
  throws(() => replaceLine(path, { ...LINE, figures: { "tacho time": 3 } }), /tacho time/);
  deepStrictEqual(readLines(path), [again, other]);
  await Deno.writeTextFile(path, `${JSON.stringify(LINE)}\n{"date": "today"}\n`);
  throws(() => readLines(path), /machine\.jsonl:2: expected a result: /);
});

Deno.test("a machine's file is named for its adapter and CPU", () => {
  strictEqual(slugOf(LINE), "nvidia-geforce-rtx-4090-amd-ryzen-9-7950x-16-core");
  strictEqual(
    slugOf({ adapter: "llvmpipe (LLVM 15.0.6, 256 bits)", cpu: "Intel(R) Xeon(R) Processor @ 2.50GHz" }),
    "llvmpipe-intel-xeon-2-50ghz",
  );
  strictEqual(slugOf({ adapter: null, cpu: "Apple M3" }), "no-adapter-apple-m3");
});
