/**
 * All routes to an adapter that wgpu and the Vulkan loader offer, each tried in a separate process.
 *
 * @module
 */
import { findDrivers } from "../../device/vulkan/drivers.ts";
import { selectionOf } from "../../device/vulkan/selection.ts";
import type { Found, Route, RouteResult } from "./facts.ts";
import { fileURLToPath } from "node:url";
import { partUrl } from "../../store/tacho_files.ts";

/** Time after which a driver counts as hung, in ms. */
const TIMEOUT = 60_000;

/** Backends of wgpu other than the usual one, by operating system. */
const BACKENDS: Readonly<Record<string, readonly string[]>> = { linux: ["gl"], windows: ["vulkan"] };

/** Variables that select a device or a backend, which a route replaces. */
const SELECTING = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "MESA_VK_DEVICE_SELECT", "VK_LOADER_DEVICE_SELECT"]
  .concat("DRI_PRIME", "DENO_WEBGPU_BACKEND");

/** Tries every route, the usual one first. */
export async function tryRoutes(): Promise<RouteResult[]> {
  const usual = await tryRoute({ name: "default", variables: {}, manifest: null, library: null, usual: true }, true);
  const drivers = Deno.build.os === "linux" ? findDrivers() : [];
  const others = drivers.map(({ manifest, library, listed }): Route => ({
    name: manifest,
    variables: { VK_DRIVER_FILES: manifest },
    manifest,
    library,
    usual: listed,
  }));
  const backends = (BACKENDS[Deno.build.os] ?? []).map((backend): Route => ({
    name: backend,
    variables: { DENO_WEBGPU_BACKEND: backend },
    manifest: null,
    library: null,
    usual: false,
  }));
  const results = [usual];
  for (const route of [...others, ...backends]) results.push(...await tryDevices(route));
  return results;
}

/** Tries a route, and each further device of its driver. */
async function tryDevices(route: Route): Promise<RouteResult[]> {
  const first = await tryRoute(route);
  const devices = first.found?.devices ?? [];
  if (route.manifest === null || devices.length < 2) return [first];
  const driver = { manifest: route.manifest, library: route.library, listed: route.usual };
  const all = devices.map((device) => ({ device, driver }));
  const results = [first];
  for (const one of all.slice(1)) {
    results.push(await tryRoute({ ...route, variables: selectionOf(one, all), usual: false }));
  }
  return results;
}

async function tryRoute(route: Route, asIs = false): Promise<RouteResult> {
  const env = Deno.env.toObject();
  if (!asIs) { for (const name of SELECTING) delete env[name]; }
  const probe = probeFile();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", "--no-lock", probe, ...route.library === null ? [] : [route.library]],
    env: { ...env, ...route.variables },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, TIMEOUT);
  const { code, signal, stdout } = await child.output();
  clearTimeout(timer);
  if (hung) return { ...route, found: null, failure: `no answer within ${TIMEOUT / 1000} s` };
  if (signal !== null) return { ...route, found: null, failure: `ended by ${signal}` };
  if (code !== 0) return { ...route, found: null, failure: `ended with status ${code}` };
  return { ...route, found: JSON.parse(new TextDecoder().decode(stdout)) as Found, failure: null };
}

/** Returns the path of the program that tries an adapter. */
export function probeFile(): string {
  return fileURLToPath(partUrl("runtime/cli/doctor/adapter_probe.ts"));
}
