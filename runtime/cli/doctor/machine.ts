/**
 * The machine below the adapters: GPUs on the PCI bus, device files, folders, permissions.
 *
 * @module
 */
import { cpus, freemem, totalmem, type as osType } from "node:os";
import { dirname, join } from "node:path";
import { isFile, readKernelFile } from "../../core/files.ts";
import { relevantVariables, TACHO_VERSION } from "../../experiment/environment.ts";
import { machineState } from "../../experiment/start/preflight.ts";
import { cacheFolder } from "../../data/standin/cache.ts";
import { storeFolder } from "../../store/folder.ts";
import type { DeviceNode, Facts, Folder, Gpu } from "./facts.ts";

/** Vendors of GPUs by PCI identifier. */
const VENDORS: Readonly<Record<string, string>> = {
  "10de": "NVIDIA",
  "1002": "AMD",
  "8086": "Intel",
  "1af4": "Red Hat (virtio)",
  "15ad": "VMware",
  "1234": "QEMU",
};

/** Classes of PCI functions that are GPUs: display controllers and processing accelerators. */
const GPU_CLASS = /^0x(03|12)/;

const PACKAGE_MANAGERS = ["apt-get", "dnf", "pacman", "zypper", "apk"];

const PERMISSIONS = ["read", "write", "env", "net", "run", "sys", "ffi"] as const;

/** Finds out everything but the routes to adapters. */
export async function describeMachine(store?: string): Promise<Omit<Facts, "routes">> {
  const { cores, load, governors, onBattery } = await machineState(null);
  return {
    versions: { tacho: TACHO_VERSION, deno: Deno.version.deno, v8: Deno.version.v8 },
    os: `${osType()} ${Deno.osRelease()} ${Deno.build.arch}`,
    cpu: cpus()[0]?.model || null,
    cores,
    memory: totalmem() || null,
    freeMemory: Deno.systemMemoryInfo().available || freemem() || null,
    load,
    governors,
    onBattery,
    gpus: gpus(),
    nodes: deviceNodes(),
    folders: [
      folder("store", storeFolder(store), "TACHO_STORE"),
      folder("cache", cacheFolder(), "TACHO_CACHE"),
    ],
    permissions: Object.fromEntries(PERMISSIONS.map((name) => [name, Deno.permissions.querySync({ name }).state])),
    variables: relevantVariables(Deno.env.toObject()),
    packages: packageManager(),
  };
}

/**
 * Lists the GPUs on the PCI bus.
 *
 * @param root folder that contains `sys`
 */
export function gpus(root = "/"): Gpu[] {
  const folder = join(root, "sys/bus/pci/devices");
  return namesIn(folder).flatMap((pci) => {
    const read = (name: string) => firstLine(join(folder, pci, name));
    if (!GPU_CLASS.test(read("class"))) return [];
    const [vendor, device] = [read("vendor"), read("device")].map((id) => id.replace(/^0x/, "")) as [string, string];
    return [{
      pci,
      vendor: VENDORS[vendor] ?? `vendor ${vendor}`,
      id: `${vendor}:${device}`,
      module: linkName(join(folder, pci, "driver")),
    }];
  });
}

/** Lists the files through which drivers open GPUs. */
export function deviceNodes(root = "/"): DeviceNode[] {
  const dev = join(root, "dev");
  const paths = [
    ...namesIn(join(dev, "dri")).filter((name) => name.startsWith("renderD")).map((name) => join(dev, "dri", name)),
    ...namesIn(dev).filter((name) => /^nvidia(\d+|ctl)$/.test(name) || name === "kfd").map((name) => join(dev, name)),
  ];
  return paths.map((path) => ({ path, access: access(path), group: groupOf(path) }));
}

function access(path: string): DeviceNode["access"] {
  try {
    Deno.openSync(path, { read: true, write: true }).close();
    return "granted";
  } catch (error) {
    // A device without hardware behind it is open to us nevertheless
    return error instanceof Deno.errors.PermissionDenied ? "denied" : "granted";
  }
}

function groupOf(path: string): number | null {
  try {
    return Deno.statSync(path).gid;
  } catch {
    return null;
  }
}

/** Checks that files can be created in a folder, or in the nearest one above it that exists. */
function folder(purpose: Folder["purpose"], path: string, variable: string): Folder {
  for (let at = path;; at = dirname(at)) {
    try {
      Deno.removeSync(Deno.makeTempFileSync({ dir: at, prefix: ".tacho-doctor-" }));
      return { purpose, path, variable, error: null };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound && at !== dirname(at)) continue;
      return { purpose, path, variable, error: error instanceof Error ? error.message : String(error) };
    }
  }
}

function packageManager(): string | null {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return PACKAGE_MANAGERS.find((name) => folders.some((folder) => folder !== "" && isFile(join(folder, name)))) ?? null;
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch {
    return []; // the system has no such folder
  }
}

function firstLine(path: string): string {
  try {
    return readKernelFile(path).split("\n")[0]!.trim();
  } catch {
    return "";
  }
}

function linkName(path: string): string | null {
  try {
    return Deno.readLinkSync(path).split("/").at(-1) ?? null;
  } catch {
    return null;
  }
}
