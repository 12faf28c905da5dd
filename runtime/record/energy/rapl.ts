import { join } from "node:path";
import { readKernelFile } from "../../core/files.ts";
import { isInstance } from "../../core/is_instance.ts";
import { reasonOf } from "../../core/shown.ts";
import type { EnergySource, EnergySources } from "./energy_source.ts";

/** Zones that contain others which are counted too, and so would be counted twice. */
const CONTAINING = /^psys/;

/** Zones within a package, which its counter includes. Memory (`dram`) is not among them. */
const CONTAINED = /^(core|uncore)/;

/**
 * Opens the counters of processor packages and their memory, from Linux's powercap tree (RAPL, of Intel and AMD). A package
 * that two drivers count, by registers and by memory-mapped registers, is opened once.
 *
 * Source: Linux kernel, Documentation/power/powercap/powercap.rst.
 *
 * @param root folder that contains `sys`
 */
export function raplSources(root = "/"): EnergySources {
  const folder = join(root, "sys/class/powercap");
  let zones: string[];
  try {
    zones = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "this system has none" : reasonOf(error);
    return { sources: [], missing: [`RAPL: ${folder} cannot be listed (${why})`] };
  }
  const opened = new Map<string, EnergySource>();
  const missing: string[] = [];
  for (const zone of zones) {
    const path = join(folder, zone, "energy_uj");
    try {
      const name = nameOf(folder, zone);
      if (name === null || opened.has(name)) continue;
      opened.set(name, new Zone(name, path, rangeOf(join(folder, zone, "max_energy_range_uj"))));
    } catch (error) {
      missing.push(`RAPL: ${reasonFor(error, path)}`);
    }
  }
  if (opened.size === 0 && missing.length === 0) missing.push(`RAPL: ${folder} has no counter`);
  return { sources: [...opened.values()], missing };
}

/** Returns the name under which a zone is counted; null for a control type, such as `intel-rapl`, and zones in others. */
function nameOf(folder: string, zone: string): string | null {
  let own: string;
  try {
    own = firstLine(join(folder, zone, "name"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  if (CONTAINING.test(own) || CONTAINED.test(own)) return null;
  const parent = parentOf(zone);
  return parent === null ? own : `${firstLine(join(folder, parent, "name"))} ${own}`;
}

/** Returns where a counter starts at 0 again: microjoules. */
function rangeOf(path: string): number {
  let range: number;
  try {
    range = microjoules(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UnusableCounter(`${path} is missing, without which the energy after a wrap of the counter is unknown`);
  }
  if (range <= 0) throw new UnusableCounter(`${path} is ${range}; expected a positive number`);
  return range;
}

/** A counter that exists and cannot be used. */
class UnusableCounter extends Error {}

function reasonFor(error: unknown, path: string): string {
  if (isInstance(error, UnusableCounter)) return error.message;
  if (error instanceof Deno.errors.NotFound) return `${path} is missing`;
  const fix = error instanceof Deno.errors.PermissionDenied ? "; run as root, or make it readable" : "";
  return `${path} cannot be read (${reasonOf(error)})${fix}`;
}

/** Counter of a zone, which starts at 0 again after `range` microjoules. While it cannot be read, it stands still. */
class Zone implements EnergySource {
  readonly name: string;
  readonly #path: string;
  readonly #range: number;
  #last: number;
  #sum = 0;

  constructor(name: string, path: string, range: number) {
    this.name = name;
    this.#path = path;
    this.#range = range;
    this.#last = microjoules(path);
  }

  joules(): number {
    const now = this.#read();
    this.#sum += now >= this.#last ? now - this.#last : now + this.#range - this.#last;
    this.#last = now;
    return this.#sum / 1e6;
  }

  #read(): number {
    try {
      return microjoules(this.#path);
    } catch {
      return this.#last;
    }
  }
}

/** Returns the zone that contains a zone: `intel-rapl:0` for `intel-rapl:0:1`; null for one that no zone contains. */
function parentOf(zone: string): string | null {
  const parts = zone.split(":");
  return parts.length > 2 ? parts.slice(0, -1).join(":") : null;
}

function microjoules(path: string): number {
  const text = firstLine(path);
  const value = Number(text);
  if (text === "" || !Number.isFinite(value)) {
    throw new UnusableCounter(`${path} is ${JSON.stringify(text)}; expected a number of microjoules`);
  }
  return value;
}

function firstLine(path: string): string {
  return readKernelFile(path).split("\n", 1)[0]!.trim();
}
