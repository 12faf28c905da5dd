import { END_REASONS, endFunction } from "../page/settings.ts";
import type { CdpConnection, CdpData, CdpEvent } from "./cdp.ts";
import type { RealmFiles } from "./realm_files.ts";

/** How a recording of a page ended. */
export type PageEnd = "steps" | "duration" | "closed" | "interrupted" | "driven" | "crashed" | "browser";

/** What a page says. */
export interface PageListener {
  /** Called with a line on the console, or an error that nothing handles. */
  says(text: string, isError: boolean): void;
  ends(how: PageEnd): void;
}

/** Time in which recorders may write what is left, in ms. A thread that blocks never answers. */
const END_GRACE = 3000;

/** The recorder that pages get. */
export interface Injection {
  /** Name of the browser's binding that takes its records. */
  readonly binding: string;
  readonly source: string;
}

/** Targets of a page that are recorded: the page, frames of other processes, and workers. */
export class PageTargets {
  readonly #files: RealmFiles;
  readonly #injection: Injection;
  readonly #listener: PageListener;
  #connection: CdpConnection | null = null;
  #page = "";

  constructor(files: RealmFiles, injection: Injection, listener: PageListener) {
    this.#files = files;
    this.#injection = injection;
    this.#listener = listener;
  }

  /** Records a page, and from then on what it starts. */
  async begin(connection: CdpConnection, session: string): Promise<void> {
    this.#connection = connection;
    this.#page = session;
    await this.#record(session, "page");
  }

  /** Takes an event of the browser. */
  take({ method, params, session }: CdpEvent): void {
    const number = (name: string) => Number(params[name]);
    switch (method) {
      case "Target.attachedToTarget":
        return void this.#record(String(params["sessionId"]), String((params["targetInfo"] as CdpData)["type"]));
      case "Target.detachedFromTarget": {
        const detached = String(params["sessionId"]);
        this.#files.end(detached);
        if (detached === this.#page) this.#listener.ends("closed");
        return;
      }
      case "Inspector.targetCrashed":
        if (session === this.#page) this.#listener.ends("crashed");
        return;
      case "Runtime.executionContextCreated": {
        const { id, uniqueId } = params["context"] as CdpData;
        return this.#files.begin(session, Number(id), String(uniqueId));
      }
      case "Runtime.executionContextDestroyed":
        return this.#files.end(session, number("executionContextId"));
      case "Runtime.executionContextsCleared":
        return this.#files.end(session);
      case "Runtime.bindingCalled":
        return this.#took(session, number("executionContextId"), params);
      case "Runtime.consoleAPICalled":
        return this.#listener.says((params["args"] as CdpData[]).map(textOf).join(" "), params["type"] === "error");
      case "Runtime.exceptionThrown": {
        const { exception, text } = params["exceptionDetails"] as CdpData;
        return this.#listener.says(exception === undefined ? String(text) : textOf(exception as CdpData), true);
      }
      case "Debugger.paused":
        return void this.#inject(session);
      case "Page.javascriptDialogOpening": // it would hold the page
        return void this.#send("Page.handleJavaScriptDialog", { accept: true }, session);
    }
  }

  /** Ends the recorders that still run. */
  async end(): Promise<void> {
    const expression = `globalThis[${JSON.stringify(endFunction(this.#injection.binding))}]?.()`;
    const ended = this.#files.contexts.map(({ session, unique }) =>
      this.#send("Runtime.evaluate", { expression, awaitPromise: true, uniqueContextId: unique }, session)
    );
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, END_GRACE));
    await Promise.race([Promise.all(ended), late]);
    clearTimeout(timer);
  }

  #took(session: string, id: number, { name, payload }: CdpData): void {
    if (name !== this.#injection.binding) return;
    const text = String(payload);
    if (text === END_REASONS.steps) this.#listener.ends("steps");
    else if (text === END_REASONS.close) this.#listener.ends("closed");
    else this.#files.write(session, id, text);
  }

  /** Makes a target record, and lets it run; likewise what it starts. */
  async #record(session: string, type: string): Promise<void> {
    const { binding, source } = this.#injection;
    const calls = [
      this.#send("Runtime.enable", {}, session),
      this.#send("Inspector.enable", {}, session),
      this.#send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }, session),
      this.#send("Runtime.addBinding", { name: binding }, session),
    ];
    if (type === "page" || type === "iframe") {
      calls.push(this.#send("Page.enable", {}, session));
      calls.push(this.#send("Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true }, session));
    } else {
      // A worker has no WebGPU before its script was fetched, so it stops before its first line
      const instrumentation = "beforeScriptExecution";
      calls.push(this.#send("Debugger.enable", {}, session));
      calls.push(this.#send("Debugger.setInstrumentationBreakpoint", { instrumentation }, session));
    }
    // A target that waits for the debugger answers some calls only once it runs: they are sent in order, and awaited last
    calls.push(this.#send("Runtime.runIfWaitingForDebugger", {}, session));
    await Promise.all(calls);
  }

  /** Injects the recorder into a worker that stands before its first line. An enabled debugger makes WebAssembly slow. */
  async #inject(session: string): Promise<void> {
    await this.#send("Runtime.evaluate", { expression: this.#injection.source }, session);
    await this.#send("Debugger.disable", {}, session);
  }

  /** Calls a method of a target, which may be gone by now. */
  async #send(method: string, params: CdpData, session: string): Promise<void> {
    await this.#connection?.send(method, params, session).catch(() => {});
  }
}

/** Returns a value as the console shows it. */
function textOf({ value, unserializableValue, description, type }: CdpData): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return String(value ?? unserializableValue ?? description ?? type);
}
