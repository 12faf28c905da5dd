import { readKernelFile } from "../../../core/files.ts";

/** Returns the processes below one, as Linux lists them, the nearest first. */
export function descendants(pid: number): number[] {
  const children = tasks(pid).flatMap((task) => numbers(`/proc/${pid}/task/${task}/children`));
  return [...children, ...children.flatMap(descendants)];
}

/** Returns the state of a process as Linux writes it, such as T for stopped; empty if it has ended. */
export function stateOf(pid: number): string {
  try {
    return /\) (\w)/.exec(readKernelFile(`/proc/${pid}/stat`))?.[1] ?? "";
  } catch {
    return "";
  }
}

/** Sends a signal to a process, or to a group of them if the number is negative. One that has ended is left alone. */
export function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch {
    // it has ended
  }
}

function tasks(pid: number): string[] {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => name);
  } catch {
    return []; // it has ended
  }
}

function numbers(path: string): number[] {
  try {
    return readKernelFile(path).split(" ").filter((word) => word !== "").map(Number);
  } catch {
    return []; // its thread has ended
  }
}
