/**
 * Records a page or a worker of any browser. `tacho attach --page` injects it before the first script; `tacho recorder`
 * prints it for `<script src="tacho.js">`, a console or a bundler. It is bundled to one script, `page.js`.
 *
 * @module
 */
import { install } from "../install.ts";
import { LineSink } from "../line_sink.ts";
import { now } from "../native.ts";
import { Patches } from "../patch.ts";
import { beginRecords, type Realm } from "../realm.ts";
import { MAIN_REALM } from "../records.ts";
import { Registry } from "../registry.ts";
import { parseSteps } from "../settings.ts";
import { pageRecord } from "./facts.ts";
import { LoadObserver } from "./load.ts";
import { bindingOutlet, keptOutlet, postOutlet } from "./outlet.ts";
import { scope } from "./scope.ts";
import { END_REASONS, endFunction, type PageSettings } from "./settings.ts";

/** Time between readings beside those of the program's waits, in ms. */
const TICK = 250;

/** Settings that whoever injects the recorder puts around it. */
declare const tachoSettings: PageSettings | undefined;

/** What the recorder adds to the global object where it is no injection. */
interface Handle {
  /** Ends the recording. */
  readonly end: () => Promise<void>;
  /** Ends the recording, and returns its text. */
  readonly text: () => Promise<string>;
  /** Ends the recording, and saves it as a file. */
  readonly save: (name?: string) => Promise<void>;
}

/** Settings of the injector, or in the query of the script's address. */
function readSettings(): PageSettings {
  if (typeof tachoSettings !== "undefined") return tachoSettings;
  const { src = "" } = scope.document?.currentScript ?? {};
  const query: Record<string, string> = src === "" ? {} : Object.fromEntries(new URL(src).searchParams);
  return {
    steps: query["steps"] ?? "auto",
    stack: query["stack"] === "true",
    ...query["to"] === undefined ? {} : { to: query["to"] },
  };
}

/** Names this realm: the page itself, a frame or a worker. */
function realmName(): string {
  if (scope.document === undefined) return `worker ${location.href}`;
  return globalThis === scope.top ? MAIN_REALM : `frame ${location.href}`;
}

/** Takes the browser's binding from the program's sight. */
function takeBinding(name: string): ((text: string) => void) | null {
  const binding = scope[name];
  delete scope[name];
  return typeof binding === "function" ? binding as (text: string) => void : null;
}

function start(): void {
  const settings = readSettings();
  const injected = settings.binding !== undefined;
  if (!injected && "tacho" in scope) return; // loaded twice
  const binding = injected ? takeBinding(settings.binding) : null;
  if (injected && binding === null) return;
  const kept = keptOutlet();
  const outlet = binding !== null ? bindingOutlet(binding) : settings.to !== undefined ? postOutlet(settings.to) : kept;
  const decoder = new TextDecoder();
  let ended = false;
  const sink = new LineSink((bytes) => {
    outlet.send(decoder.decode(bytes));
    return bytes.length;
  }, now);
  const registry = new Registry();
  let steps = 0;
  const maxSteps = settings.maxSteps ?? Infinity;
  const realm: Realm = {
    sink,
    now,
    waitsBlock: false,
    ...binding !== null && maxSteps < Infinity
      ? {
        onStep() {
          if (++steps !== maxSteps) return;
          sink.flush(true);
          binding(END_REASONS.steps);
        },
      }
      : {},
  };
  beginRecords(realm, realmName());
  sink.write(pageRecord(now));
  sink.flush(true);
  const patches = new Patches();
  const load = new LoadObserver(now, patches);
  const end = async () => {
    if (ended) return;
    ended = true;
    clearInterval(timer);
    await registry.readRest();
    sink.write(load.record());
    registry.end(realm);
    await outlet.sent();
  };
  const leave = () => {
    outlet.leave();
    if (ended) return;
    ended = true;
    try {
      sink.write(load.record());
      registry.end(realm);
    } catch {
      // the page has changed what the recorder needs, and goes on as without it
    }
  };
  let timer: ReturnType<typeof setInterval> | undefined;
  if (typeof GPUDevice !== "undefined") {
    const { steps = "auto", stack = false, budget = 0.05, timing = true } = settings;
    const how = { steps: parseSteps(steps) ?? { by: "auto" as const }, stack, budget, timing };
    install(registry, { settings: how, realm });
    timer = setInterval(() => void registry.readRest(), TICK);
  }
  const { close } = scope;
  patches.value(scope, "close", function () {
    leave();
    if (binding !== null && realmName() === MAIN_REALM) binding(END_REASONS.close);
    Reflect.apply(close, globalThis, []);
  });
  globalThis.addEventListener("pagehide", leave);
  if (injected) Object.defineProperty(scope, endFunction(settings.binding), { value: end });
  else Object.defineProperty(scope, "tacho", { value: handle(end, kept) });
}

function handle(end: () => Promise<void>, kept: { text(): string }): Handle {
  const text = async () => {
    await end();
    return kept.text();
  };
  return {
    end,
    text,
    async save(name = "tacho.jsonl") {
      const link = scope.document?.createElement("a");
      if (link === undefined) return; // a worker saves nothing
      link.href = URL.createObjectURL(new Blob([await text()], { type: "application/jsonl" }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },
  };
}

start();
