/**
 * Three ways to time a network on the device, and what each of them says: around the submit, with a wait, and by the
 * device's own timestamps. A CNN in two parts, each repeat begun with the device drained, first by itself and then with
 * a task of the CPU between the parts.
 *
 *     deno run -A scripts/timing_methods.ts
 */
import {
  avgPool2d,
  conv2d,
  flatten,
  gelu,
  hostTask,
  infer,
  linear,
  openPipeline,
  pipeline,
  type PipelineRunner,
  type PipelineTimes,
  sequential,
  type Timing,
} from "../mod.ts";

const METHODS: readonly Timing[] = ["host", "sync", "event"];
const REPEATS = 50;
const SKIP = 5;

/** On a software adapter the widths are an eighth, so that a repeat takes some 10 ms there too. */
const SIZES = {
  gpu: { batch: 16, image: 128, widths: [512, 1024], pool: 8, linear: [4096, 1024, 1000] },
  software: { batch: 8, image: 64, widths: [64, 128], pool: 4, linear: [512, 256, 10] },
} as const;

type Sizes = (typeof SIZES)[keyof typeof SIZES];

function features({ widths }: Sizes) {
  const [first, second] = widths;
  return sequential(
    conv2d(first, { kernel: 3, stride: 2, padding: 1 }),
    gelu(),
    conv2d(second, { kernel: 3, stride: 2, padding: 1 }),
    gelu(),
  );
}

function classifier({ pool, linear: [first, second, classes] }: Sizes) {
  return sequential(
    avgPool2d({ kernel: pool }),
    flatten(),
    linear(first),
    gelu(),
    linear(second),
    gelu(),
    linear(classes),
  );
}

/** Work for one core that cannot be left out, about as long as asked for when nothing disturbs it. */
function cpuTask(milliseconds: number): () => number {
  const work = (n: number) => {
    let sum = 0;
    for (let i = 1; i <= n; i++) sum += Math.sin(i) * Math.sqrt(i);
    return sum;
  };
  let n = 100_000;
  let took = 0;
  while (took < 5) {
    n *= 2;
    const start = performance.now();
    work(n);
    took = performance.now() - start;
  }
  const wanted = Math.ceil(n * milliseconds / took);
  return () => work(wanted);
}

async function measureAll(runner: PipelineRunner): Promise<Map<Timing, PipelineTimes>> {
  const results = new Map<Timing, PipelineTimes>();
  for (const timing of METHODS) {
    results.set(timing, await runner.measure({ timing, repeats: REPEATS, skip: SKIP }));
  }
  return results;
}

/** Half of the repeats took less: ms; NaN where the adapter gave no times. */
function median(times: readonly (number | null)[]): number {
  const known = times.filter((time) => time !== null).toSorted((a, b) => a - b);
  const middle = known.length >> 1;
  return known.length % 2 === 1 ? known[middle]! : (known[middle - 1]! + known[middle]!) / 2;
}

function print(title: string, results: ReadonlyMap<Timing, PipelineTimes>): void {
  console.log(`\n${title}: medians in ms`);
  console.log(["".padEnd(12), ...METHODS.map((method) => method.padStart(9))].join(""));
  const row = (name: string, times: (result: PipelineTimes) => readonly (number | null)[]) => {
    const cells = METHODS.map((method) => format(median(times(results.get(method)!))).padStart(9));
    console.log([name.padEnd(12), ...cells].join(""));
  };
  results.get("host")!.stages.forEach(({ name }, i) => row(name, (result) => result.stages[i]!.times));
  row("total", (result) => result.total);
  row("really took", (result) => result.wall);
}

function format(milliseconds: number): string {
  return Number.isNaN(milliseconds) ? "–" : milliseconds.toFixed(2);
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

/** The sum of the models' times of a method: ms. */
function ofModels(result: PipelineTimes): number {
  return result.stages.filter(({ kind }) => kind === "infer").reduce((sum, { times }) => sum + median(times), 0);
}

async function main(): Promise<void> {
  const probe = await navigator.gpu.requestAdapter();
  const software = probe === null || /llvmpipe|lavapipe|swiftshader/i.test(probe.info.description);
  const sizes = software ? SIZES.software : SIZES.gpu;
  const input = [sizes.batch, 3, sizes.image, sizes.image];
  const parts = [infer(features(sizes), { name: "features" }), infer(classifier(sizes), { name: "classifier" })];

  await using plain = await openPipeline(pipeline(parts), { input });
  console.log(`${plain.device.info.name}: images ${input.join("x")}, channels 3 -> ${sizes.widths.join(" -> ")}`);
  console.log(`${REPEATS} repeats, the first ${SKIP} dropped, the device drained between them`);
  const alone = await measureAll(plain);
  print("The two parts by themselves", alone);

  const between = cpuTask(median(alone.get("sync")!.stages[0]!.times));
  const [first, second] = parts;
  await using mixed = await openPipeline(pipeline([first!, hostTask(between, { name: "CPU task" }), second!]), {
    input,
  });
  const together = await measureAll(mixed);
  print("With a task of the CPU between them", together);

  const [host, sync, event] = METHODS.map((method) => ofModels(alone.get(method)!));
  console.log(`\nhost timing shows ${percent(host! / sync!)} of what sync timing does`);
  if (Number.isNaN(event!)) console.log("this adapter has no timestamps: there are no event times");
  else console.log(`sync is ${percent(sync! / event! - 1)} above event: the hand-over and the wait`);
  const [waiting, free] = [median(together.get("sync")!.wall), median(together.get("event")!.wall)];
  console.log(`with the CPU task, waiting after each part makes the pipeline ${percent(waiting / free - 1)} longer`);
  if (software) {
    console.log(
      "\nThis is a software adapter: kernels run on the cores that the CPU task needs, so the two slow each other down\n" +
        "and overlap less than beside a GPU, and a submit can block until the one before it is done. What waiting costs,\n" +
        "and how little a submit does, has to be seen on a GPU.",
    );
  }
}

if (import.meta.main) await main();
