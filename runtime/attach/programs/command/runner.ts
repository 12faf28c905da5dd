/**
 * Starts a command as often as it is asked to: the main module of a process. See `protocol.ts` for the messages.
 *
 * @module
 */
import { join } from "node:path";
import { readText } from "../../../core/files.ts";
import { openRecords } from "../../deno/open_records.ts";
import { splitCommand } from "../split_command.ts";
import type { CommandHost, Launched } from "./host.ts";
import { NO_FILE, portableHost } from "./portable_host.ts";
import { type CommandEvent, type CommandRequest, type CommandSettings, STDERR_FILE, STDOUT_FILE } from "./protocol.ts";
import type { SteppedCommand } from "./stepped_command.ts";

const CLEANUP = "cleanup";

const settings = JSON.parse(readText(Deno.args[0]!)) as CommandSettings;
const file = openRecords(settings.events);
const { folder, input, keepStdout, timeout } = settings;
const files = {
  stdin: input ?? NO_FILE,
  stdout: keepStdout ? join(folder, STDOUT_FILE) : NO_FILE,
  stderr: join(folder, STDERR_FILE),
};
const requests = linesOf(Deno.stdin.readable);
let next = requests.next();
const host: CommandHost = Deno.build.os === "linux" ? (await import("./linux_host.ts")).linuxHost : portableHost(next);

/** The command in steps, from its first to its last. */
let stepped: SteppedCommand | null = null;
let isSetUp = false;

/** Returns false once nothing more is to be done. */
async function perform(request: CommandRequest): Promise<boolean> {
  if (!isSetUp && !await around("setup", settings.setup)) return false;
  isSetUp = true;
  if (request.do === "run") return await run();
  if (request.do === "steps") return write(stepped!.run(request.count));
  end();
  return request.do === "stop" || await start();
}

async function run(): Promise<boolean> {
  if (!await around("prepare", settings.prepare)) return false;
  const run = await host.run(launchedOf(settings.command), files, { timeout, untilClosed: true, started });
  if (typeof run === "string") return write(run === "closed" ? null : { kind: "timeout" });
  return await around("conclude", settings.conclude) && write({ kind: "run", run });
}

async function start(): Promise<boolean> {
  if (!await around("prepare", settings.prepare)) return false;
  const { SteppedCommand } = await import("./stepped_command.ts");
  const { line } = settings;
  stepped = await SteppedCommand.start(launchedOf(settings.command), files, { line: line!, timeout, started });
  return write(stepped.run(1));
}

function started(pid: number): void {
  write({ kind: "started", pid });
}

/** Runs a command before or after others. Returns false if it fails or stdin is closed. */
async function around(which: string, command: string | null): Promise<boolean> {
  if (command === null) return true;
  const launched = launchedOf(settings.shell === null ? splitCommand(command).words : command);
  const limits = { timeout: Infinity, untilClosed: which !== CLEANUP };
  const run = await host.run(launched, { ...files, stdin: NO_FILE, stdout: NO_FILE }, limits);
  if (typeof run === "string") return false;
  if (run.status !== 0) write({ kind: "failed", which, command, status: run.status });
  return run.status === 0;
}

function launchedOf(command: string | readonly string[]): Launched {
  const { shell } = settings;
  if (typeof command !== "string") return { words: command };
  return shell === null ? { words: splitCommand(command).words } : { shell, line: command };
}

function end(): void {
  stepped?.[Symbol.dispose]();
  stepped = null;
  host.end();
}

/** Writes an event, if there is one. Returns false without. */
function write(event: CommandEvent | null): boolean {
  if (event === null) return false;
  const bytes = new TextEncoder().encode(`${JSON.stringify(event)}\n`);
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  return true;
}

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let text = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (text + part).split("\n");
    text = lines.pop()!;
    yield* lines;
  }
}

host.open();
for (let line = await next; line.done !== true; line = await next) {
  next = requests.next();
  if (!await perform(JSON.parse(line.value) as CommandRequest)) break;
}
end();
if (isSetUp) await around(CLEANUP, settings.cleanup);
Deno.exit(0);
