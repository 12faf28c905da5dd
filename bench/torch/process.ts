import { lastLine, runPython } from "../peer_process.ts";

/** PyTorch as it is found on this machine. */
export interface TorchInfo {
  readonly version: string;
  /** Name of its GPU; null where it has none. */
  readonly cuda: string | null;
  readonly cudnn: number | null;
  /** Of its operators on the CPU. */
  readonly threads: number;
}

/** Runs a task in PyTorch and returns what it printed. */
export async function runTorch<T>(python: string, task: Readonly<Record<string, unknown>>): Promise<T> {
  return lastLine<T>(await runPython(python, "pytorch.py", JSON.stringify(task)));
}

/** Looks for PyTorch; says how to get it where there is none, and ends. */
export async function findTorch(python: string): Promise<TorchInfo> {
  try {
    return await runTorch<TorchInfo>(python, { do: "about" });
  } catch (error) {
    const reason = (error as Error).message.trim().split("\n").at(-1)!;
    console.error(`PyTorch cannot be used from ${python}: ${reason}`);
    console.error("Install it (pip install torch; on Debian apt-get install python3-torch), or name another Python");
    console.error("that has it: --python PATH");
    Deno.exit(2);
  }
}
