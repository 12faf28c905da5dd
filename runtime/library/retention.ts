/**
 * Retention of a run in the store. A run that cannot be kept continues with a warning. Only `--resume` needs the store.
 *
 * @module
 */
import { InputError, TachoError } from "../core/errors.ts";
import { reasonOf } from "../core/shown.ts";
import { describeEnvironment } from "../experiment/environment.ts";
import { describedArms } from "../experiment/programs/described_arms.ts";
import type { RunEvent } from "../result/run_event.ts";
import type { Result } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { collectModules, namedModules } from "../store/collect_modules.ts";
import { storeFolder } from "../store/folder.ts";
import type { RunRecorder } from "../store/run_recorder.ts";
import type { KeptRun } from "../store/kept_run.ts";
import type { ModuleSource } from "../store/module_source.ts";
import type { RunSpec } from "../store/run_spec.ts";
import { type RunStart, statusOf } from "../store/records.ts";
import { type ShardPlace, ShardRun } from "../shards/store/shard_run.ts";
import { openStore, type Store } from "../store/store.ts";
import { handoff } from "./handoff.ts";
import { isMissingPermission, withPermissionFix } from "./missing_permission.ts";
import { type Script, scriptPath } from "./script.ts";

/** Place to keep a run in. */
export interface Keeping {
  /** Folder of the store; true for the default one, false to keep nothing. */
  readonly store: string | boolean;
  /** Name of a kept run to resume; true for the last one with the same settings. */
  readonly resume?: string | true | undefined;
  /** Throws instead of warning if the run cannot be kept. Default false. */
  readonly required?: boolean;
  /** Part of a sweep, which is kept in a file of `folder` instead of the store. */
  readonly shard?: { readonly place: ShardPlace; readonly folder: string } | undefined;
}

/** A run to keep. */
export interface KeptWork {
  readonly spec: Omit<RunSpec, "tacho">;
  /** Absolute path of the script that repeats the run; null for a run that no script repeats. */
  readonly script: string | null;
  /** Returns the modules of that script. */
  readonly modules: () => Promise<readonly ModuleSource[]>;
  /** Arguments after the script on the command line; without a script, those of `tacho`, if its command repeats the run. */
  readonly args: readonly string[];
}

/** Keeps a run in the store, or does nothing. */
export class Retention {
  readonly #store: Store | null;
  readonly #run: KeptRun | null;
  readonly #shard: ShardRun | null;
  readonly #warn: (message: string) => void;
  /** Rungs that have ended. */
  #rungs = 0;
  /** Resolves when the script's modules are kept, or cannot be. */
  #modules: Promise<void> = Promise.resolve();

  private constructor(
    { store = null, run = null, shard = null }: { store?: Store | null; run?: KeptRun | null; shard?: ShardRun | null },
    warn: (message: string) => void,
  ) {
    this.#store = store;
    this.#run = run;
    this.#shard = shard;
    this.#warn = warn;
  }

  /**
   * Begins to keep a run, or resumes one.
   *
   * @throws {InputError} if `resume` names a run that cannot be resumed, or the run cannot be kept but has to be
   */
  static async begin(
    work: KeptWork,
    { store: named, resume, required = false, shard }: Keeping,
    warn: (message: string) => void,
  ): Promise<Retention> {
    if (shard !== undefined) {
      const run = ShardRun.open(shard.folder, shard.place, await startOf(work), hostName());
      const retention = new Retention({ shard: run }, warn);
      if (!run.hasModules) retention.#modules = retention.#keepModules(work.modules);
      return retention;
    }
    if (named === false) {
      if (resume !== undefined) throw new InputError("--resume: needs the store; omit --no-store");
      return new Retention({}, warn);
    }
    let store: Store | null = null;
    try {
      const start = await startOf(work);
      store = openStore(storeFolder(typeof named === "string" ? named : undefined));
      const run = resume === undefined
        ? store.begin(start)
        : store.resume(idToResume(store, resume, start.spec), start.spec, await work.modules());
      const retention = new Retention({ store, run }, warn);
      // Another process collects the imports meanwhile
      if (store.run(run.id).modules.length === 0) retention.#modules = retention.#keepModules(work.modules);
      return retention;
    } catch (error) {
      store?.close();
      if (resume !== undefined || required) throw error;
      warn(`This run is not kept. ${wordsOf(error)}`);
      return new Retention({}, warn);
    }
  }

  get runRecorder(): RunRecorder | null {
    return this.#run?.recorder ?? this.#shard?.recorder ?? null;
  }

  /** Result of a shard that was complete before; null if there is something to measure. */
  get done(): Result | null {
    return this.#shard?.done ?? null;
  }

  /** Clause that says what is kept if the process ends now. */
  get keptIfEnded(): string {
    if (this.#shard !== null) {
      return `complete rounds are kept in ${this.#shard.path} (run the shard again to continue)`;
    }
    const id = this.#run?.id;
    return id === undefined ? "nothing is kept" : `complete rounds are kept (tacho resume ${id} continues them)`;
  }

  /** Keeps the prediction for a rung before it runs, and its outcome. */
  keepEvent(event: RunEvent): void {
    if (event.type === "prediction") {
      const { name, gain, reasoning } = event;
      this.#try(() => this.#run?.keepPrediction(this.#rungs, { name, gain, reasoning }));
    } else if (event.type === "rung") {
      this.#try(() => this.#run?.keepRung(this.#rungs, event.rung));
      this.#rungs++;
    }
  }

  /** Keeps the result. Returns a line that says so, or null if it is not on disk. */
  finish(result: Result): string | null {
    if (this.#shard !== null) return this.#finishShard(this.#shard, result);
    const run = this.#run;
    if (run === null) return null;
    return this.#end(() => {
      run.finish(result);
      if (statusOf(result) !== "interrupted") return `kept as ${run.id} (tacho show ${run.id})`;
      this.#warnOfProblem(run);
      return `kept as ${run.id}, incomplete (tacho resume ${run.id} continues it)`;
    });
  }

  /** Keeps the reason why there is no result. */
  fail(error: unknown): void {
    const run = this.#run ?? this.#shard;
    if (run !== null) this.#end(() => run.fail(error instanceof Error ? error.message : String(error)));
  }

  #finishShard(shard: ShardRun, result: Result): string {
    if (shard.done !== null) return `${shard.path} was complete before; nothing was run`;
    shard.finish(result);
    if (statusOf(result) !== "interrupted") return `kept in ${shard.path} (tacho merge combines the shards)`;
    return `kept in ${shard.path}, incomplete (run the shard again to continue)`;
  }

  /** Waits for pending writes and closes the store; call it after `finish`. */
  async settle(): Promise<void> {
    await this.#modules;
    this.#store?.close();
    this.#shard?.close();
  }

  async #keepModules(modules: KeptWork["modules"]): Promise<void> {
    try {
      (this.#run ?? this.#shard)!.keepModules(await modules());
    } catch (error) {
      this.#warn(`The script is not kept, so this run cannot be repeated from the store. ${wordsOf(error)}`);
    }
  }

  #end<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      this.#warn(`This run is not kept. ${wordsOf(error)}`);
      this.#run?.abandon();
      return null;
    }
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof TachoError)) throw error;
      this.#warn(`A rung of the ladder is not kept. ${error.message}`);
    }
  }

  #warnOfProblem({ problem }: KeptRun): void {
    if (problem !== null) this.#warn(`Not all rounds were kept. ${wordsOf(problem)}`);
  }
}

/** Returns what is kept of a run before it starts, except for its modules. */
async function startOf({ spec, script, args }: KeptWork): Promise<RunStart> {
  const environment = await describeEnvironment(null);
  return { spec: { tacho: environment.tacho, ...spec }, script, modules: [], args, cwd: Deno.cwd(), environment };
}

/** Returns the spec of a scenario, by which the store compares runs. */
export function specOf(scenario: ResolvedScenario, { sha256 }: Script): KeptWork["spec"] {
  const { name, seed, baseline, adapted } = scenario;
  return {
    scenario: name,
    sha256,
    seed,
    baseline,
    ...adapted === null ? {} : { adapters: [...adapted.adapters] },
    variants: describedArms(scenario),
  };
}

/** Collects the modules of the script; none if it is not a file. */
export async function modulesOfScript({ variants }: ResolvedScenario): Promise<readonly ModuleSource[]> {
  if (scriptPath() === null) return [];
  const named = () => namedModules(variants.map(({ config }) => config));
  return handoff()?.modules ?? await collectModules(Deno.mainModule, named());
}

function idToResume(store: Store, name: string | true, spec: RunSpec): string {
  if (typeof name === "string") return store.resolve(name);
  const found = store.unfinished(spec);
  if (found !== null) return found.id;
  throw new InputError(
    `--resume: found no interrupted run of ${spec.scenario} with these settings; ` +
      '"tacho runs --status interrupted" lists those with other settings',
  );
}

/** Returns the name of this machine; null if the process may not read it. */
function hostName(): string | null {
  return Deno.permissions.querySync({ name: "sys", kind: "hostname" }).state === "granted" ? Deno.hostname() : null;
}

function wordsOf(error: unknown): string {
  if (isMissingPermission(error)) return withPermissionFix(reasonOf(error));
  return error instanceof TachoError ? error.message : String(error);
}
