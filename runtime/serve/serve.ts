/**
 * Local server of pages over all kept runs: a list that follows running measurements, reports, comparisons and histories.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { answer } from "./handler.ts";
import { KeptRuns } from "./kept_runs.ts";
import { errorResponse } from "./responses.ts";
import { ResultChecks } from "./result_checks.ts";

/** The only interface that the server listens on. */
const HOST = "127.0.0.1";

export interface ServeOptions {
  /** Folder of the store. */
  readonly folder: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  /** Ends the server. */
  readonly signal: AbortSignal;
  /** Called with the address once the server listens. */
  readonly onListen: (url: string) => void;
  /** Called with errors that a request meets unexpectedly. */
  readonly onError: (error: unknown) => void;
}

/**
 * Serves pages over the kept runs until `signal` aborts.
 *
 * @throws {InputError} if the port cannot be used
 */
export async function serveRuns({ folder, port, signal, onListen, onError }: ServeOptions): Promise<void> {
  using runs = new KeptRuns(folder);
  using checks = new ResultChecks(runs);
  const context = { runs, checks };
  const server = listen(port, {
    signal,
    onListen: (url) => onListen(url),
    onError: (error) => {
      onError(error);
      return errorResponse(500, "Unexpected error; the terminal has the details");
    },
  }, (request) => answer(context, request));
  await server.finished;
}

interface Listening {
  readonly signal: AbortSignal;
  readonly onListen: (url: string) => void;
  readonly onError: (error: unknown) => Response;
}

function listen(
  port: number,
  { signal, onListen, onError }: Listening,
  handler: (request: Request) => Response,
): Deno.HttpServer {
  try {
    return Deno.serve({
      ...{ hostname: HOST, port, signal, onError },
      onListen: (address) => onListen(`http://${HOST}:${address.port}/`),
    }, handler);
  } catch (cause) {
    throw unusable(port, cause);
  }
}

function unusable(port: number, cause: unknown): unknown {
  if (cause instanceof Deno.errors.AddrInUse) {
    return new InputError(
      `--port: ${port} is in use, perhaps by another tacho serve; expected a free port, or 0 to take any free one`,
      { cause },
    );
  }
  if (cause instanceof Deno.errors.PermissionDenied) {
    return new InputError(`--port: ${port} may not be used by this user; expected a port from 1024, or 0`, { cause });
  }
  return cause;
}
