import { join } from "node:path";
import type { TestProgress } from "../support/test_progress.ts";
import { processorTime } from "./processor_time.ts";

/** Interval at which a process is looked at, in ms. */
const CHECK_MS = 250;

/** Time to read the rest of a process's output after its end, in ms. */
const READ_MS = 10_000;

const root = join(import.meta.dirname!, "..", "..");

/** Outcome of a process. */
export interface Ended {
  readonly success: boolean;
  readonly code: number;
  readonly signal: Deno.Signal | null;
  /** Killed, as it made no progress. */
  readonly hung: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Processor time up to its last check, with that of its children that had ended, in seconds; null if unknown. */
  readonly processor: number | null;
}

/** Runs `deno` in the repository, until it ends or hangs. */
export async function runDeno(
  args: readonly string[],
  { env, progress }: { readonly env: Readonly<Record<string, string>>; readonly progress?: TestProgress },
): Promise<Ended> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: root,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  let hung = false;
  let processor: number | null = null;
  const timer = setInterval(() => {
    processor = processorTime(child.pid) ?? processor;
    if (progress === undefined || !progress.pass(CHECK_MS)) return;
    hung = true;
    try {
      child.kill("SIGKILL");
    } catch {
      // The process has just exited
    }
  }, CHECK_MS);
  const output = { stdout: "", stderr: "" };
  const read = Promise.all([
    eachText(child.stdout, (text) => {
      output.stdout += text;
      progress?.read(text);
    }),
    eachText(child.stderr, (text) => output.stderr += text),
  ]);
  const { success, code, signal } = await child.status;
  clearInterval(timer);
  // A process that a test has left behind may keep the pipes open
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, READ_MS))]);
  return { success, code, signal, hung, processor, ...output };
}

async function eachText(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onText: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) onText(text);
}
