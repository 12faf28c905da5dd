import type { Patches } from "../patch.ts";
import type { Registry } from "../registry.ts";

/** Records performance marks and measures. */
export function patchMarks(patches: Patches, registry: Registry): void {
  for (const name of ["mark", "measure"] as const) {
    patches.method(Performance.prototype, name, (performance, args, call) => {
      const entry = call(performance, args) as PerformanceEntry | undefined;
      const start = entry?.startTime ?? (performance as Performance).now();
      registry.mark({ name: String(args[0]), start, end: start + (entry?.duration ?? 0) });
      return entry;
    });
  }
}
