import { ExitStatus, InputError } from "../../core/errors.ts";
import { storeFolder } from "../../store/folder.ts";
import { printFailure } from "../failure.ts";
import { hasDisplay, openPage } from "../open_page.ts";
import { runOf } from "../parse_command.ts";
import { warn, writeOut } from "../terminal.ts";
import { interruptible } from "../watched.ts";
import { createCommand } from "./command.ts";

/** Port by default, so that addresses stay valid when the server is started again. */
const DEFAULT_PORT = 8224;

const LARGEST_PORT = 65_535;

export const define = () =>
  createCommand({
    name: "serve",
    description: "Serves pages over all kept runs on this machine, until Ctrl-C: a list that follows running " +
      "measurements, the report of each run, comparisons, and metrics over time. Only programs on this machine can reach it.",
    examples: [
      ["tacho serve", `serve at http://127.0.0.1:${DEFAULT_PORT}/, and open the list in a browser`],
      ["tacho serve --no-open --port 0", "print an address with a free port"],
      ["tacho serve --store shared/runs", "serve another store"],
    ],
  })
    .option("--port <n>", `port to listen on; 0 takes a free one (default: ${DEFAULT_PORT})`, portNumber)
    .option("--open", "open the list with the system's program for web pages (default: on a terminal with a display)")
    .option("--no-open", "open nothing");

/** Serves pages over the kept runs. */
export const run = runOf(define, async ({ store, port = DEFAULT_PORT, open, debug = false }) => {
  const { serveRuns } = await import("../../serve/serve.ts");
  await interruptible((signal) =>
    serveRuns({
      ...{ folder: storeFolder(store), port, signal },
      onListen: (url) => {
        writeOut(`Runs in ${storeFolder(store)} at ${url} (Ctrl-C ends)\n`);
        if (open ?? (Deno.stdout.isTerminal() && hasDisplay())) void openList(url);
      },
      onError: (error) => printFailure(error, debug),
    })
  );
  return ExitStatus.interrupted;
});

async function openList(url: string): Promise<void> {
  const problem = await openPage(url);
  if (problem !== null) warn(`${url} could not be opened: ${problem}; open it in a browser yourself`);
}

function portNumber(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  if (port <= LARGEST_PORT) return port;
  throw new InputError(`--port: expected a whole number from 0 to ${LARGEST_PORT}, got "${text}"`);
}
