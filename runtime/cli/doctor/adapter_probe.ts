/**
 * Entry point of the processes that `tacho doctor` starts, one per route to an adapter, so that a driver that crashes or
 * hangs ends only its own process. Prints what it found as JSON.
 *
 * @module
 */
import { type AdapterInfo, findAdapter } from "../../device/adapter.ts";
import { Device } from "../../device/device.ts";
import { prepareEnvironment } from "../../device/environment.ts";
import { TimestampRecorder } from "../../device/timestamps.ts";
import { listPhysicalDevices } from "../../device/vulkan/physical_devices.ts";
import { encodePass } from "../../device/bind.ts";
import { clockStep } from "../../record/clock_step.ts";
import type { Found } from "./facts.ts";

/** Empty passes whose timestamps show the step of the clock. */
const PASSES = 64;

const [library] = Deno.args;

prepareEnvironment();
const libraryError = library === undefined ? null : loadError(library);
const devices = listPhysicalDevices();
const opened = await open();
const nameFor = async (match: string) => (await findAdapter({ match, probe: false }).catch(() => null))?.info.name;
const found: Found = {
  ...opened,
  devices,
  libraryError,
  lowPower: await nameFor("low-power") ?? null,
  highPerformance: await nameFor("high-performance") ?? null,
};
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(found)));
Deno.exit(0); // without the driver's clean-up, whose faults are of no interest

async function open(): Promise<Pick<Found, "adapter" | "clockStepNs" | "error">> {
  let adapter: AdapterInfo | null = null;
  try {
    adapter = (await findAdapter())?.info ?? null;
    if (adapter === null) return { adapter, clockStepNs: null, error: null };
    const device = await Device.open();
    return { adapter, clockStepNs: await stepOf(device), error: null };
  } catch (error) {
    return { adapter, clockStepNs: null, error: error instanceof Error ? error.message : String(error) };
  }
}

async function stepOf(device: Device): Promise<number | null> {
  if (!device.timestamps) return null;
  const recorder = new TimestampRecorder(device);
  const encoder = device.gpu.createCommandEncoder({ label: "clock step" });
  for (let i = 0; i < PASSES; i++) encodePass(encoder, "clock step", [], recorder.next());
  recorder.endSubmit(encoder);
  device.submit(encoder);
  const passes = await recorder.read();
  return clockStep(passes.flatMap(({ begin, end }) => [begin, end]).filter((time) => time !== 0n));
}

function loadError(path: string): string | null {
  try {
    Deno.dlopen(path, {}).close();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
