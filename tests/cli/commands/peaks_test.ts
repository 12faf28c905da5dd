import assert from "node:assert/strict";
import { fullTest } from "../../support/full.ts";
import { peaksOf } from "../../support/peaks.ts";
import { tachoIn } from "../tacho_here.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/** Peaks of two adapters, the first measured under load. */
const KEPT = [
  { name: "llvmpipe (LLVM 15)", peaks: peaksOf(64e9, 5.2e9, null, { load: 0.6, date: "2026-02-01T00:00:00.000Z" }) },
  { name: "Some GPU", peaks: peaksOf(1e13, 5e11, 2e13) },
];

/** Runs commands of `tacho peaks` with two adapters in the cache. */
async function withPeaks(test: (peaks: (...args: readonly string[]) => Promise<Ended>) => Promise<void>) {
  await using temporary = await temporaryFolder();
  const { path: cache } = temporary;
  for (const [i, { name, peaks }] of KEPT.entries()) {
    const adapter = {
      ...{ version: 1, name, vendor: null, backend: "vulkan", driver: null },
      ...{ features: [], kernels: "cpu", deno: "2.9.6", threads: null },
    };
    await Deno.writeTextFile(`${cache}/peaks-${i}.json`, JSON.stringify({ adapter, peaks }));
  }
  await test(async (...args) => {
    return await tachoIn(Deno.cwd(), "", ["peaks", ...args], { TACHO_CACHE: cache, NO_COLOR: "1" });
  });
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

Deno.test("peaks are shown with date and conditions, of all adapters or of those with a name", () =>
  withPeaks(async (peaks) => {
    const [all, some, json, none, both] = await Promise.all([
      peaks(),
      peaks("gpu"),
      peaks("--json", "LLVM"),
      peaks("nothing"),
      peaks("--measure", "--forget"),
    ]);
    assert.deepEqual([all.code, all.stderr], [0, ""]);
    assert.match(all.stdout, /^llvmpipe \(LLVM 15\) .* f32 +64.0 GFLOP\/s +2026-0[12]-\d\d .* 60 +1.0 +busy/m);
    assert.match(all.stdout, /^Some GPU .* copy +500 GB\/s +2026-01-0\d .* 0.0 +1.0 +quiet/m);
    assert.match(all.stdout, /^busy: may be higher/m);
    assert.doesNotMatch(some.stdout, /llvmpipe|busy/);
    assert.deepEqual(JSON.parse(json.stdout).map((one: typeof KEPT[number]) => one.peaks), [KEPT[0]!.peaks]);
    assert.match(none.stdout, /^No peaks of adapters with "nothing" in their name are kept in /);
    assert.deepEqual([both.code, both.stdout], [2, ""]);
    assert.match(both.stderr, /expected either --measure or --forget, got both/);
  }));

Deno.test("forgotten peaks are listed and gone, and others stay", () =>
  withPeaks(async (peaks) => {
    const { stdout } = await peaks("--forget", "llvmpipe");
    assert.match(stdout, /^Forgotten peaks in .*\n[^]*llvmpipe/);
    const names = JSON.parse((await peaks("--json")).stdout).map(({ adapter }: { adapter: { name: string } }) =>
      adapter.name
    );
    assert.deepEqual(names, ["Some GPU"]);
  }));

// tests/engine/peak_cache_test.ts measures it in the fast set
fullTest("this machine's adapter is measured on request, and its peaks are kept", () =>
  withPeaks(async (peaks) => {
    const began = Date.now();
    const { code, stdout, stderr } = await peaks("--measure", "--json");
    assert.deepEqual([code, stderr], [0, ""]);
    const [measured, ...others] = JSON.parse(stdout);
    assert.equal(others.length, 0);
    assert(Date.parse(measured.peaks.f32.date) >= began);
    assert.equal(JSON.parse((await peaks("--json")).stdout).length, 3);
  }));
