import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CpuSampler } from "../../runtime/trainer/cpu_sampler.ts";

const linux = Deno.build.os === "linux";

/** Largest difference of the clocks of two threads, in ms. */
const CLOCKS_MS = 20;

/** Samples a busy thread, for longer where a loaded machine has not let the sampler run. */
async function busyLanes() {
  for (let ms = 400;; ms *= 3) {
    const sampler = (await CpuSampler.start())!;
    const start = performance.now();
    sampler.sample(true);
    while (performance.now() - start < ms);
    sampler.sample(false);
    const end = performance.now();
    while (performance.now() - end < 500);
    const lanes = await sampler.stop();
    if (lanes !== null) return { start, end, lanes };
    assert(ms < 30_000, "no sample in 30 s");
  }
}

Deno.test({
  name: "a thread is sampled while it is busy, at a bounded cost, and not while sampling is paused",
  ignore: !linux,
  async fn() {
    const { start, end, lanes: { spans, counters, sampling } } = await busyLanes();
    // deno test runs each file on a separate thread
    assert(spans.some(({ track }) => track.startsWith("thread")), Deno.inspect(spans));
    // A sample that has begun may end late on a busy machine, but then it is the last, and no interval begins with it
    const inTime = (time: number) => time > start - CLOCKS_MS && time < end + CLOCKS_MS;
    assert(spans.every((span) => inTime(span.start)), Deno.inspect(spans));
    assert(counters.length > 0 && counters.every(({ time }) => inTime(time)), Deno.inspect(counters));
    assert(counters.every(({ counter }) => /^core \d+: all programs$/.test(counter)));
    assert(sampling.interval >= 5 && sampling.share > 0 && sampling.share < 0.5, Deno.inspect(sampling));
  },
});

Deno.test({
  name: "a sampler that never sampled has no lanes, and stops twice",
  ignore: !linux,
  async fn() {
    const sampler = (await CpuSampler.start())!;
    assert.equal(await sampler.stop(), null);
    assert.equal(await sampler.stop(), null);
  },
});

Deno.test("without access to /proc there is no sampler, and nothing else changes", async () => {
  const module = new URL("../../runtime/trainer/cpu_sampler.ts", import.meta.url);
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const code = `import { CpuSampler } from "${module.href}"; console.log(await CpuSampler.start());`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      `--allow-read=${root}`,
      `data:text/javascript,${encodeURIComponent(code)}`,
    ],
  }).output();
  assert.equal(new TextDecoder().decode(stdout).trim(), "null", new TextDecoder().decode(stderr));
});
