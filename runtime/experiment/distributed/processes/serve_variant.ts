import { ExitStatus, InputError, TachoError } from "../../../core/errors.ts";
import { openToWrite, writeAll } from "../../../core/files.ts";
import { namedReasonOf } from "../../../core/shown.ts";
import { loadDatasets, prepareDataset } from "../../../data/sources/sources.ts";
import { Device } from "../../../device/device.ts";
import { DEFAULT_TRAITS } from "../../../device/traits.ts";
import { SlotPool } from "../../../engine/slot_pool.ts";
import { type Scenario, scenarioNamed } from "../../../scenario/definition.ts";
import { type ResolvedVariant, resolveScenario } from "../../../scenario/resolve.ts";
import type { OnProgress } from "../../arm.ts";
import { planOne } from "../../planning.ts";
import { LocalSteps } from "../../variant/local_steps.ts";
import type { ProcessCommand, ProcessEvent, ProcessSettings, ReplyValues } from "./protocol.ts";

/** Minimum time between reports of progress, in ms. */
const INTERVAL = 100;

/** Runs a command on a variant of this process. */
async function perform(
  steps: LocalSteps,
  command: ProcessCommand,
  onProgress: OnProgress,
): Promise<ReplyValues[ProcessCommand["do"]]> {
  const { record } = steps;
  const before = record.steps;
  const since = () => ({ losses: record.losses.slice(before), scale: record.lossScale });
  switch (command.do) {
    case "prepare":
      steps.reserve();
      await steps.prepare(0, onProgress, onProgress);
      return { ...steps.facts!, setup: record.setup };
    case "compile":
      await steps.compile(onProgress);
      return null;
    case "compile only":
      await steps.compileOnly();
      return { firstStep: record.firstStep };
    case "warm up": {
      const { wall } = await steps.warmUp(command.steps, (done) => onProgress(done, command.steps));
      return { wall, firstStep: record.firstStep, ...since() };
    }
    case "measure": {
      const { place, steps: count, drain, isFirst } = command;
      if (isFirst) steps.endWarmUp();
      const kept = await steps.block(place, count, { drain, onStep: (done) => onProgress(done, count) });
      return { kept, loaded: record.loaderProfile, ...since() };
    }
  }
}

/** A variant with its device. */
interface Served {
  readonly steps: LocalSteps;
  close(): Promise<void>;
}

/** Runs the commands of the parent process on a variant, until the end of stdin. */
export async function serveVariant(settings: ProcessSettings): Promise<void> {
  const file = openToWrite(settings.events, { append: true });
  const write = (event: ProcessEvent) => writeAll(file, new TextEncoder().encode(`${JSON.stringify(event)}\n`));
  let reported = 0;
  const onProgress: OnProgress = (done, all) => {
    if (performance.now() - reported < INTERVAL) return;
    reported = performance.now();
    write({ kind: "progress", done, all });
  };
  let served: Served | null = null;
  for await (const line of linesOfStdin()) {
    try {
      served ??= await open(settings);
      write({ kind: "done", value: await perform(served.steps, JSON.parse(line) as ProcessCommand, onProgress) });
    } catch (error) {
      const isOurs = error instanceof TachoError;
      const message = isOurs ? error.message : namedReasonOf(error);
      write({ kind: "failed", message, exitStatus: isOurs ? error.exitStatus : ExitStatus.unexpected });
    }
  }
  await served?.close();
}

/** Plans the variant and opens its device. */
async function open(
  { source, variant: name, arm, fingerprint, tuning, cache, parent }: ProcessSettings,
): Promise<Served> {
  const variant = await variantOf(source, name);
  const config = { ...variant.config, evaluate: null, target: null };
  await loadDatasets([config.data]);
  await prepareDataset(config.data); // the parent has made it
  const device = config.model === null
    ? null
    : await Device.open(source.adapter === null ? {} : { match: source.adapter });
  const adapterName = device?.info.name ?? "none";
  const target = { traits: device?.traits ?? DEFAULT_TRAITS, adapterName, memory: { bytes: null, source: "" } };
  const { dataset, compiled, error } = planOne({ ...variant, name: arm, config }, target);
  if (error !== null) throw error;
  const slots = device === null ? null : new SlotPool(device);
  const interrupted = () => Deno.ppid !== parent;
  const own = { variant: { ...variant, name: arm, config }, dataset, compiled };
  const steps = new LocalSteps(own, { device, slots, cache, interrupted });
  if (tuning !== null && compiled !== null) steps.tuning.adopt(tuning);
  const planned = steps.compiled?.plan.fingerprint ?? null;
  if (planned !== fingerprint) {
    throw new InputError(
      `measure.processes: the process of ${arm} plans another model than the run: ${planned}, expected ${fingerprint}; ` +
        "the script must define the same scenario whenever it is imported",
    );
  }
  return {
    steps,
    async close() {
      await steps.close();
      slots?.free();
      device?.destroy();
    },
  };
}

/** Imports the script and returns a variant of its scenario. */
async function variantOf(
  { script, scenario: name, settings }: ProcessSettings["source"],
  variant: string,
): Promise<ResolvedVariant> {
  const url = new URL(script);
  url.searchParams.set("tacho", "process"); // not the main module, which would start a run
  await import(url.href);
  const definition: Scenario | null = scenarioNamed(name);
  if (definition === null) {
    throw new InputError(
      `measure.processes: importing ${script} defines no scenario "${name}"; call scenario() at the top level of the ` +
        "script, or set measure.processes to null",
    );
  }
  const found = resolveScenario(definition, settings).variants.find(({ name }) => name === variant);
  if (found === undefined) {
    throw new InputError(
      `measure.processes: the scenario "${name}" has no variant "${variant}" when ${script} is imported again`,
    );
  }
  return found;
}

async function* linesOfStdin(): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of Deno.stdin.readable) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = lines.pop()!;
    yield* lines;
  }
}
