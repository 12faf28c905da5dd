/**
 * Other loaders on the same files, each in its own process: PyTorch's DataLoader and sharp.
 *
 * @module
 */
import { join } from "node:path";

/** With PyTorch and torchvision. */
const PYTHON = Deno.env.get("PYTHON") ?? "python3";

/** Images per second of processor time. */
export interface PeerSpeed {
  readonly jpeg: number;
  readonly cifar?: number;
}

/** Returns the speed of each loader; null where it is not installed. */
export function peerSpeeds(photos: string): Readonly<Record<string, PeerSpeed | null>> {
  const dir = import.meta.dirname!;
  return {
    "PyTorch's DataLoader": output(PYTHON, [join(dir, "dataloader.py"), photos]),
    sharp: output(Deno.execPath(), ["run", "-A", "--no-config", "--no-lock", "--quiet", join(dir, "sharp.ts"), photos]),
  };
}

function output(command: string, args: readonly string[]): PeerSpeed | null {
  try {
    const { success, stdout, stderr } = new Deno.Command(command, { args: [...args] }).outputSync();
    if (success) return JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!) as PeerSpeed;
    console.error(new TextDecoder().decode(stderr).trim().split("\n").at(-1));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return null;
}
