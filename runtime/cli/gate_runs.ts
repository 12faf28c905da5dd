import type { StoredRun } from "../analysis/gates/evaluate_gates.ts";
import { InputError } from "../core/errors.ts";
import { storeFolder } from "../store/folder.ts";
import { openStoreToRead, type Store } from "../store/store.ts";

/** Which runs a name can stand for. */
export interface RunContext {
  /** Name of the scenario. */
  readonly scenario: string;
  /** Name of the adapter, for `@baseline`; asked for only then. */
  readonly adapter: () => Promise<string | null>;
  /** Folder of the store; the usual one when left out. */
  readonly store?: string | undefined;
  /** The run that is judged, which `@last` does not mean; null for one that has not begun. */
  readonly run: string | null;
}

/**
 * The stored run that a gate names: `last` for the latest whole one of the scenario, `baseline` for the one that was set
 * for the scenario on the adapter, or an id.
 *
 * @param where the gate, for messages
 * @throws {InputError} if there is none, or it has no result
 */
export async function referenceRun(name: string, where: string, context: RunContext): Promise<StoredRun> {
  const folder = storeFolder(context.store);
  using store = openStoreToRead(folder);
  if (store === null) throw new InputError(`${where}: there is no run @${name}; ${folder} keeps none yet`);
  const id = name === "baseline"
    ? await baselineOf(store, where, context)
    : /^last(~\d+)?$/.test(name)
    ? latestOf(store, name, where, context)
    : store.resolve(name);
  const result = store.result(id);
  if (result !== null) return { id, result };
  throw new InputError(`${where}: run ${id} has no result to compare with; it is ${store.run(id).status}`);
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

/** Runs without a result, such as those going on, are passed over. */
function latestOf(store: Store, name: string, where: string, { scenario, run }: RunContext): string {
  const back = Number(name.split("~")[1] ?? 0);
  const whole = store.find({ scenario, status: "complete" }).filter(({ id }) => id !== run);
  const found = whole[back];
  if (found !== undefined) return found.id;
  throw new InputError(
    `${where}: there is no run @${name}; ${store.file} keeps ${whole.length} whole runs of ${scenario} to compare with`,
  );
}
