import { fileURLToPath } from "node:url";
import { partUrl } from "../../store/tacho_files.ts";

/** Returns the path of the program that tries an adapter. */
export function probeFile(): string {
  return fileURLToPath(partUrl("runtime/cli/doctor/adapter_probe.ts"));
}
