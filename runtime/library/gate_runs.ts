import type { StoredRun } from "../analysis/gates/evaluate_gates.ts";
import { InputError } from "../core/errors.ts";
import { formatCounted } from "../report/format.ts";
import { storeFolder } from "../store/folder.ts";
import { openStoreToRead, type Store } from "../store/store.ts";

/** Context in which a gate names another run. */
export interface RunContext {
  /** Name of the scenario. */
  readonly scenario: string;
  /** Returns the name of the adapter; called only for `@baseline`. */
  readonly adapter: () => Promise<string | null>;
  /** Folder of the store, if not the default. */
  readonly store?: string | undefined;
  /** ID of the run under test, which `@last` skips; null if it has not begun. */
  readonly run: string | null;
}

/**
 * Resolves the run that a gate compares with: `last` is the latest complete run of the scenario, `baseline` the one set
 * for the scenario and adapter; otherwise an ID.
 *
 * @param where the gate, for messages
 * @throws {InputError} if there is no such run, or it has no result
 */
export async function referenceRun(name: string, where: string, context: RunContext): Promise<StoredRun> {
  const folder = storeFolder(context.store);
  using store = openStoreToRead(folder);
  if (store === null) throw new InputError(`${where}: no run @${name}; ${folder} has no runs yet`);
  const id = name === "baseline"
    ? await baselineOf(store, where, context)
    : /^last(~\d+)?$/.test(name)
    ? latestOf(store, name, where, context)
    : store.resolve(name);
  const result = store.result(id);
  if (result !== null) return { id, result };
  throw new InputError(`${where}: run ${id} is ${store.run(id).status} and has no result to compare with`);
}

async function baselineOf(store: Store, where: string, { scenario, adapter }: RunContext): Promise<string> {
  const name = await adapter();
  const id = store.baseline(scenario, name);
  if (id !== null) return id;
  const others = store.baselines().filter((baseline) => baseline.scenario === scenario);
  const elsewhere = others.length === 0
    ? ""
    : `; it has one on ${others.map((baseline) => baseline.adapter ?? "no adapter").join(", ")}`;
  throw new InputError(
    `${where}: scenario ${scenario} has no baseline on ${name ?? "no adapter"}${elsewhere}; set one with ` +
      `"tacho baseline set ID"`,
  );
}

/** Returns the ID of `last` or `last~n` among complete runs. */
function latestOf(store: Store, name: string, where: string, { scenario, run }: RunContext): string {
  const back = Number(name.split("~")[1] ?? 0);
  const whole = store.find({ scenario, status: "complete" }).filter(({ id }) => id !== run);
  const found = whole[back];
  if (found !== undefined) return found.id;
  throw new InputError(
    `${where}: no run @${name}; ${store.file} has ${
      formatCounted(whole.length, "complete run")
    } of ${scenario} to compare with`,
  );
}
