import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../../core/errors.ts";
import { readTextIfAny } from "../../core/files.ts";
import { lastLines } from "../programs/last_lines.ts";
import { BROWSER_NAMES, findBrowser } from "./find_browser.ts";

/** Flags that give pages WebGPU, with timestamps that are not rounded and a description of the adapter. */
const WEBGPU_FLAGS = ["--enable-unsafe-webgpu", "--enable-webgpu-developer-features"];

/** Flags against work in the background, connections of the browser's own, and throttling. */
const QUIET_FLAGS = [
  ...["--no-first-run", "--no-default-browser-check", "--mute-audio", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions"],
  ...["--disable-domain-reliability", "--no-pings", "--password-store=basic", "--use-mock-keychain"],
  ...["--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows"],
  ...["--disable-renderer-backgrounding", "--disable-crash-reporter"],
  "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider",
];

/** Time in which a browser must open its port, in ms; also on a busy machine. */
const START_TIMEOUT = 60_000;

/** Time in which a browser may end by itself, in ms. */
const END_TIMEOUT = 5000;

/** Characters of stderr that are remembered, and lines that a message shows. */
const STDERR = 4000;
const LINES = 5;

/** Options of a browser process. */
export interface LaunchOptions {
  /** Folder of the profile, which stays; null for a temporary one. */
  readonly profile: string | null;
  readonly sandbox: boolean;
  readonly headed: boolean;
  /** Flags of the user's. */
  readonly flags: readonly string[];
}

/** A browser of our own. */
export interface LaunchedBrowser extends AsyncDisposable {
  /** Address for the protocol. */
  readonly socket: string;
  /** Flags that change what pages see or how they are measured. */
  readonly flags: readonly string[];
  readonly pid: number;
}

/**
 * Starts Chromium or Chrome. Its port for the protocol is closed, and a temporary profile is removed, when it is disposed of.
 *
 * @throws {InputError} if there is none, or it does not start
 */
export async function launchBrowser({ profile, sandbox, headed, flags }: LaunchOptions): Promise<LaunchedBrowser> {
  const program = findBrowser();
  if (program === null) {
    throw new InputError(
      `--page: no browser: expected ${BROWSER_NAMES.join(", ")} in PATH, or CHROME_PATH with the path of one`,
    );
  }
  if (sandbox && Deno.build.os !== "windows" && Deno.uid() === 0) {
    throw new InputError(
      "--page: Chromium does not start as root with its sandbox: run tacho as another user, or add --no-sandbox, without " +
        "which a page that breaks out of the browser has root's rights",
    );
  }
  const folder = profile ?? await Deno.makeTempDir({ prefix: "tacho-browser-" });
  const remove = async () => {
    if (profile === null) await Deno.remove(folder, { recursive: true }).catch(() => {});
  };
  const portFile = join(folder, "DevToolsActivePort");
  await Deno.remove(portFile).catch(() => {});
  const telling = [...WEBGPU_FLAGS, ...headed ? [] : ["--headless=new"], ...sandbox ? [] : ["--no-sandbox"], ...flags];
  const args = ["--remote-debugging-port=0", ...QUIET_FLAGS, ...telling, `--user-data-dir=${folder}`, "about:blank"];
  // In a process group of its own, so that Ctrl-C in a terminal does not end it before the recording
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "piped", detached: true }).spawn();
  } catch (cause) {
    await remove();
    throw new InputError(`--page: ${program} cannot be started: ${(cause as Error).message}`, { cause });
  }
  const said = rememberText(child.stderr);
  const close = async () => {
    await endProcess(child);
    await said.stop();
    await remove();
  };
  try {
    const socket = await openedPort(child, portFile);
    if (socket !== null) return { socket, flags: telling, pid: child.pid, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  const shared = profile === null ? "" : `; if another browser uses ${profile}, close it first`;
  const lines = lastLines(said.text(), LINES).map((line) => `\n  ${line}`).join("");
  throw new InputError(`--page: ${program} ended before it opened a page${shared}${lines}`);
}

/** Returns the address in the file that the browser writes once its port is open; null if it ends or takes too long. */
async function openedPort(child: Deno.ChildProcess, file: string): Promise<string | null> {
  let ended = false;
  void child.status.then(() => ended = true);
  for (const start = Date.now(); !ended && Date.now() - start < START_TIMEOUT;) {
    const [port, path] = (readTextIfAny(file) ?? "").split("\n");
    if (port && path) return `ws://127.0.0.1:${port}${path}`;
    await sleep(20);
  }
  return null;
}

/** Ends a browser: it may have been asked to by the protocol, and writes its caches then. */
async function endProcess(child: Deno.ChildProcess): Promise<void> {
  const kill = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // it has ended
    }
  };
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), END_TIMEOUT));
    const first = await Promise.race([child.status, late]);
    clearTimeout(timer);
    if (first !== "late") return;
    kill(signal);
  }
  await child.status;
}

/** Reads a stream, and remembers its last characters. Processes of a browser may keep it open. */
function rememberText(stream: ReadableStream<Uint8Array>): { text(): string; stop(): Promise<void> } {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let text = "";
  const read = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text = (text + decoder.decode(value, { stream: true })).slice(-STDERR);
    }
  })();
  return {
    text: () => text,
    async stop() {
      await reader.cancel();
      await read;
    },
  };
}
