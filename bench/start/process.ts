/**
 * One start of a scenario in this process, from the process's creation to the end of the first step. The last line of
 * stdout is a {@linkcode Start} as JSON.
 *
 * Arguments: time of creation in ms since 1970, `true` to time each shader, script, then overrides of the scenario.
 *
 * @module
 */
import { cpuUsage } from "node:process";
import { pathToFileURL } from "node:url";

/** Wall time and processor time of all threads, in ms. */
export interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

export interface Start {
  readonly adapter: string;
  /** Parts in order. */
  readonly parts: readonly (Cost & { readonly name: string })[];
  /** Number of shaders, and the first dispatch of each if it was timed. */
  readonly count: number;
  readonly shaders: readonly (Cost & { readonly name: string })[];
  readonly loss: number;
}

const parts: (Cost & { name: string })[] = [];
let wall = performance.timeOrigin + performance.now() - Number(Deno.args[0]);
let since = 0;
let used = 0;
end("runtime", wall);

const [, detail, script, ...overrides] = Deno.args;
const { default: scenario } = await import(pathToFileURL(script!).href);
const { loadDatasets } = await import("../../runtime/data/sources/sources.ts");
const { describeDataset } = await import("../../runtime/data/describe.ts");
const { Device } = await import("../../runtime/device/device.ts");
const { resolveForAdapter } = await import("../../runtime/scenario/resolve_for_adapter.ts");
const { compileVariant } = await import("../../runtime/compile/variant.ts");
const { SlotPool } = await import("../../runtime/engine/slot_pool.ts");
const { compileShaders } = await import("../../runtime/trainer/compile_shaders.ts");
const { Session } = await import("../../runtime/trainer/session.ts");
const { TrainerFeed } = await import("../../runtime/trainer/trainer_feed.ts");
end("modules");

const { variants, baseline } = await resolveForAdapter(scenario, { overrides });
const { config } = variants.find(({ name }) => name === baseline)!;
const device = await Device.open();
end("adapter");

await loadDatasets([config.data]);
const dataset = describeDataset(config.data);
end("data");

const compiled = compileVariant(config, dataset, device.traits);
end("plan");

const slots = new SlotPool(device);
slots.reserve(compiled.plan.slots);
const session = await Session.create(device, slots, compiled, { seed: config.seed, label: "start" });
await device.settle();
end("pipelines");

const shaders: (Cost & { name: string })[] = [];
if (detail === "true") timeShaders();
else await compileShaders(session, device, { onShader: () => {}, shouldStop: () => false });
end("first dispatches");

const feed = new TrainerFeed(config, dataset, session);
await feed.next(null);
end("first batch");

session.runOnce();
const [outcome] = await session.state.outcomes(0, 1);
end("step");
device.check();
const start: Start = {
  adapter: device.info.name ?? "unknown adapter",
  parts,
  count: device.pipelines.size,
  shaders,
  loss: outcome!.loss,
};
console.log(JSON.stringify(start));
Deno.exit(0);

/** Compiles the shaders one after another. */
function timeShaders(): void {
  const before = session.state.snapshot();
  for (const { kernel: { name }, encode } of session.executor.newShaders()) {
    const [start, usage] = [performance.now(), cpuUsage()];
    const encoder = device.gpu.createCommandEncoder({ label: name });
    encode(encoder);
    device.submit(encoder);
    device.wait();
    shaders.push({ name, wall: performance.now() - start, cpu: milliseconds(cpuUsage(usage)) });
  }
  session.state.restore(before);
}

/** Ends a part, which began with the end of the one before. */
function end(name: string, took?: number): void {
  const cpu = milliseconds(cpuUsage());
  wall = performance.now();
  parts.push({ name, wall: took ?? wall - since, cpu: cpu - used });
  [since, used] = [wall, cpu];
}

function milliseconds({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1000;
}
