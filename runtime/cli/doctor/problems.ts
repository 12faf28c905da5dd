/**
 * Problems of a machine, each with the command that fixes it.
 *
 * @module
 */
import { printable } from "../../core/printable.ts";
import { shellWord } from "../../core/shell_word.ts";
import { preflightWarnings } from "../../experiment/start/preflight.ts";
import { tachoCommand } from "../tacho_command.ts";
import { probeFile } from "./routes.ts";
import { type Facts, usualRoute } from "./facts.ts";

export interface Problem {
  /** An error keeps scenarios with a model from running; a warning does not. */
  readonly severity: "error" | "warning";
  readonly message: string;
  /** Command or step that fixes it; null if there is none. */
  readonly fix: string | null;
}

type Check = (facts: Facts) => readonly Problem[];

/** Step of a clock in ns from which short ops cannot be timed. */
const COARSE_CLOCK = 10_000;

/** Commands that install Mesa's Vulkan drivers, by package manager. */
const INSTALL_MESA: Readonly<Record<string, string>> = {
  "apt-get": "apt-get install -y mesa-vulkan-drivers",
  dnf: "dnf install -y mesa-vulkan-drivers",
  pacman: "pacman -S vulkan-swrast vulkan-radeon vulkan-intel",
  zypper: "zypper install libvulkan_lvp libvulkan_radeon libvulkan_intel",
  apk: "apk add mesa-vulkan-swrast",
};

const INSTALL_LOADER: Readonly<Record<string, string>> = {
  "apt-get": "apt-get install -y libvulkan1",
  dnf: "dnf install -y vulkan-loader",
  pacman: "pacman -S vulkan-icd-loader",
  zypper: "zypper install libvulkan1",
  apk: "apk add vulkan-loader",
};

/** Fixes of the warnings that every run prints, by kind. */
const PREFLIGHT_FIXES: Readonly<Record<string, string>> = {
  load: "top",
  governor: "sudo cpupower frequency-set -g performance",
};

const CHECKS: readonly Check[] = [
  brokenProbes,
  missingAdapter,
  missingLoader,
  crashedDrivers,
  brokenLibraries,
  lostManifests,
  unusedGpus,
  deniedNodes,
  missingFeatures,
  coarseClock,
  switchedOff,
  lockedFolders,
  missingPermissions,
  busyMachine,
];

/** Returns the problems of a machine, errors first. */
export function findProblems(facts: Facts): Problem[] {
  const found = CHECKS.flatMap((check) => check(facts));
  return [
    ...found.filter(({ severity }) => severity === "error"),
    ...found.filter(({ severity }) => severity !== "error"),
  ];
}

/** Returns true if no process that tries an adapter can run, which is no fault of a driver. */
function probesFail({ routes }: Facts): boolean {
  return routes.every(({ failure }) => failure?.startsWith("ended with status") ?? false);
}

function brokenProbes(facts: Facts): Problem[] {
  if (!probesFail(facts)) return [];
  return [{
    severity: "error",
    message: `Every process that looks for an adapter ${usualRoute(facts).failure}`,
    fix: `deno run -A ${shellWord(probeFile())}, which prints the error`,
  }];
}

function missingAdapter(facts: Facts): Problem[] {
  if (probesFail(facts)) return [];
  const { found, failure } = usualRoute(facts);
  if (found?.adapter != null && found.error === null) return [];
  if (found?.error != null) {
    return [{ severity: "error", message: `The adapter cannot be opened: ${found.error}`, fix: null }];
  }
  const { DENO_WEBGPU_BACKEND: backend, VK_DRIVER_FILES: files, VK_ICD_FILENAMES: names } = facts.variables;
  const set = Object.entries({ DENO_WEBGPU_BACKEND: backend, VK_DRIVER_FILES: files, VK_ICD_FILENAMES: names })
    .filter(([, value]) => value !== undefined);
  const working = facts.routes.find(({ found }) => found?.adapter != null && found.error === null);
  if (set.length > 0 && working !== undefined) {
    return [{
      severity: "error",
      message: `No adapter with ${set.map(([name, value]) => `${name}=${value}`).join(" ")}`,
      fix: `unset ${set.map(([name]) => name).join(" ")}`,
    }];
  }
  const nvidia = facts.gpus.some(({ vendor }) => vendor === "NVIDIA");
  return [{
    severity: "error",
    message: failure === null
      ? "WebGPU finds no adapter"
      : `The process that looks for an adapter ${failure === null ? "" : failure}`,
    fix: nvidia
      ? "install NVIDIA's driver with its Vulkan library (libnvidia-gl; in a container, NVIDIA_DRIVER_CAPABILITIES=all)"
      : INSTALL_MESA[facts.packages ?? ""] ?? "install a Vulkan driver for the GPU, or Mesa's software driver",
  }];
}

function missingLoader(facts: Facts): Problem[] {
  const { found } = usualRoute(facts);
  if (!facts.os.startsWith("Linux") || found === null || found.devices !== null) return [];
  return [{
    severity: "warning",
    message: "The Vulkan loader libvulkan.so.1 cannot be loaded",
    fix: INSTALL_LOADER[facts.packages ?? ""] ?? "install the Vulkan loader",
  }];
}

function crashedDrivers(facts: Facts): Problem[] {
  if (probesFail(facts)) return [];
  return facts.routes.slice(1).filter(({ failure }) => failure !== null).map(({ name, failure, usual }) => ({
    severity: usual ? "error" : "warning",
    message: `The process that tried ${name} ${failure}`,
    fix: usual ? `sudo mv ${shellWord(name)} ${shellWord(`${name}.disabled`)}` : null,
  }));
}

function brokenLibraries({ routes }: Facts): Problem[] {
  return routes.filter(({ found }) => found?.libraryError != null).map(({ manifest, library, found }) => ({
    severity: "warning",
    message: `The driver ${manifest} cannot be loaded: ${printable(found!.libraryError!)}`,
    fix: `ldd ${shellWord(library!)} | grep 'not found'`,
  }));
}

function lostManifests({ routes }: Facts): Problem[] {
  return routes.filter(({ manifest, library }) => manifest !== null && library === null).map(({ manifest }) => ({
    severity: "warning",
    message: `The manifest ${manifest} is missing, unreadable or names no library`,
    fix: "unset VK_DRIVER_FILES VK_ICD_FILENAMES VK_ADD_DRIVER_FILES, or reinstall the driver",
  }));
}

/** Finds GPUs that run nothing because a software adapter takes their place. */
function unusedGpus(facts: Facts): Problem[] {
  const { adapter = null } = usualRoute(facts).found ?? {};
  if (adapter?.fallback !== true) return [];
  const known = ["NVIDIA", "AMD", "Intel"];
  return facts.gpus.filter(({ vendor }) => known.includes(vendor)).map(({ vendor, id, pci, module }) => ({
    severity: "warning",
    message: `The ${vendor} GPU at ${pci} (${id}) is not used: ` +
      (module === null ? "no kernel module drives it" : `it is driven by ${module}, but has no working Vulkan driver`),
    fix: vendor === "NVIDIA"
      ? "install NVIDIA's driver with its Vulkan library (libnvidia-gl; in a container, NVIDIA_DRIVER_CAPABILITIES=all)"
      : facts.nodes.length === 0
      ? "in a container, pass the device on: docker run --device /dev/dri ..."
      : INSTALL_MESA[facts.packages ?? ""] ?? null,
  }));
}

function deniedNodes({ nodes }: Facts): Problem[] {
  return nodes.filter(({ access }) => access === "denied").map(({ path, group }) => ({
    severity: "warning",
    message: `${path} may not be opened`,
    fix: group === null ? null : `sudo usermod -aG "$(stat -c %G ${path})" "$USER", then log in again`,
  }));
}

function missingFeatures(facts: Facts): Problem[] {
  const { adapter = null } = usualRoute(facts).found ?? {};
  if (adapter === null) return [];
  const without = (feature: string, effect: string): Problem[] =>
    adapter.features.includes(feature) || (facts.variables["TACHO_WITHOUT"] ?? "").includes(feature)
      ? []
      : [{ severity: "warning", message: `The adapter has no ${feature}: ${effect}`, fix: null }];
  return [
    ...without("timestamp-query", "times on the device are not measured"),
    ...without("shader-f16", "amp levels above O0 are refused"),
  ];
}

function coarseClock(facts: Facts): Problem[] {
  const step = usualRoute(facts).found?.clockStepNs ?? null;
  if (step === null || step < COARSE_CLOCK) return [];
  return [{
    severity: "warning",
    message: `The device's clock advances in steps of ${step / 1000} us: shorter ops are not timed exactly`,
    fix: null,
  }];
}

function switchedOff({ variables }: Facts): Problem[] {
  return ["TACHO_WITHOUT", "TACHO_KERNELS"].filter((name) => (variables[name] ?? "") !== "").map((name) => ({
    severity: "warning",
    message: `${name}=${variables[name]} holds for every run`,
    fix: `unset ${name}`,
  }));
}

function lockedFolders({ folders }: Facts): Problem[] {
  return folders.filter(({ error }) => error !== null).map(({ purpose, path, variable, error }) => ({
    severity: "warning",
    message: purpose === "store"
      ? `Runs cannot be kept in ${path}: ${error}`
      : `Data and kernel times cannot be cached in ${path}: ${error}`,
    fix: `export ${variable}=DIR, with a folder that you may write to`,
  }));
}

function missingPermissions({ permissions }: Facts): Problem[] {
  const missing = Object.entries(permissions).filter(([, state]) => state !== "granted").map(([name]) => name);
  if (missing.length === 0) return [];
  return [{
    severity: "warning",
    message: `Deno lacks the permissions ${missing.join(", ")}; some of this is unknown`,
    fix: `${tachoCommand()} doctor`,
  }];
}

function busyMachine({ cores, load, governors, onBattery }: Facts): Problem[] {
  return preflightWarnings({ cores, load, governors, onBattery, softwareAdapter: null }).map(({ kind, message }) => ({
    severity: "warning",
    message: message.replace(" before the run", ""),
    fix: PREFLIGHT_FIXES[kind ?? ""] ?? null,
  }));
}
