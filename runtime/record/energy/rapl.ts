import { join } from "node:path";
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
      const own = firstLine(join(folder, zone, "name"));
      if (CONTAINING.test(own) || CONTAINED.test(own)) continue;
      const parent = parentOf(zone);
      const name = parent === null ? own : `${firstLine(join(folder, parent, "name"))} ${own}`;
      if (opened.has(name)) continue;
      opened.set(name, new Zone(name, path, microjoules(join(folder, zone, "max_energy_range_uj"))));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) continue; // a control type, such as intel-rapl, has no counter
      missing.push(`RAPL: ${path} cannot be read (${reasonOf(error)}); run as root, or make it readable`);
    }
  }
  if (opened.size === 0 && missing.length === 0) missing.push(`RAPL: ${folder} has no counter`);
  return { sources: [...opened.values()], missing };
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
  const value = Number(firstLine(path));
  if (!Number.isFinite(value)) throw new Error(`${path} is not a number`);
  return value;
}

function firstLine(path: string): string {
  return Deno.readTextFileSync(path).split("\n", 1)[0]!.trim();
}
