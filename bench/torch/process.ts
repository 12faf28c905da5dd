import { lastLine, runPython } from "../peer_process.ts";

/** The PyTorch installation on this machine. */
export interface TorchInfo {
  readonly version: string;
  /** Name of its GPU, or null. */
  readonly cuda: string | null;
  readonly cudnn: number | null;
  /** Threads of its operators on the CPU. */
  readonly threads: number;
}

/** Runs a task in PyTorch and returns what it printed. */
export async function runTorch<T>(python: string, task: Readonly<Record<string, unknown>>): Promise<T> {
  return lastLine<T>(await runPython(python, "pytorch.py", JSON.stringify(task)));
}

/** Finds PyTorch. If it is missing, prints how to install it and exits the process. */
export async function findTorch(python: string): Promise<TorchInfo> {
  try {
    return await runTorch<TorchInfo>(python, { do: "about" });
  } catch (error) {
    const reason = (error as Error).message.trim().split("\n").at(-1)!;
    console.error(`PyTorch cannot be used from ${python}: ${reason}`);
    console.error("Install it (pip install torch; on Debian apt-get install python3-torch), or name a Python that");
    console.error("has it with --python PATH");
    Deno.exit(2);
  }
}
