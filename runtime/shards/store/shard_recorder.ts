import type { AdapterRecord, Loss } from "../../result/schema.ts";
import type { KeptFailure, KeptRound, KeptTraining, KeptWarmUp, RunRecorder } from "../../store/run_recorder.ts";
import type { ShardEntry, ShardStep } from "./shard_entries.ts";

type Losses = readonly (Loss | null)[];

/**
 * Keeps the measurements of a shard as lines of its file. Warm-ups and losses wait for the next round or failure and share
 * its line, so that a killed process leaves all of them or none.
 */
export class ShardRecorder implements RunRecorder {
  readonly rounds: readonly KeptRound[];
  readonly warmUps: readonly KeptWarmUp[];
  readonly failures: readonly KeptFailure[];
  readonly trainings: readonly KeptTraining[];
  readonly resumed: number;
  readonly adapter: string | null;
  readonly #write: (entry: ShardEntry) => void;
  readonly #losses: ReadonlyMap<string, Losses>;
  readonly #host: string | null;
  #warmUps: KeptWarmUp[] = [];
  #waiting: NonNullable<ShardStep["losses"]> = [];

  /**
   * @param earlier entries of earlier sittings
   * @param write appends an entry to the file; it is on disk when this returns
   */
  constructor(earlier: readonly ShardEntry[], host: string | null, write: (entry: ShardEntry) => void) {
    this.#write = write;
    this.#host = host;
    const steps = earlier.filter((entry) => entry.kind === "measured");
    this.rounds = steps.flatMap(({ round }) => round ?? []);
    this.warmUps = latest(steps.flatMap(({ warmUps }) => warmUps ?? []));
    this.failures = latest(steps.flatMap(({ failure }) => failure ?? []));
    this.trainings = steps.flatMap(({ training }) => training ?? []);
    this.resumed = earlier.filter(({ kind }) => kind === "resumed").length;
    this.adapter = earlier.findLast((entry) => entry.kind === "adapter")?.adapter.name ?? null;
    this.#losses = lossesByArm(steps);
  }

  losses(arm: string): Losses {
    return this.#losses.get(arm) ?? [];
  }

  keepAdapter(adapter: AdapterRecord): void {
    this.#write({ kind: "adapter", adapter, host: this.#host });
  }

  keepRound(round: KeptRound): void {
    this.#flush({ round });
  }

  keepWarmUp(warmUp: KeptWarmUp): void {
    this.#warmUps.push(warmUp);
  }

  keepFailure(failure: KeptFailure): void {
    this.#flush({ failure });
  }

  keepTraining(training: KeptTraining): void {
    this.#flush({ training });
  }

  keepLosses(arm: string, first: number, losses: Losses): void {
    this.#waiting.push({ arm, first, losses: [...losses] });
  }

  #flush(last: Pick<ShardStep, "round" | "failure" | "training">): void {
    const [warmUps, losses] = [this.#warmUps, this.#waiting];
    [this.#warmUps, this.#waiting] = [[], []];
    this.#write({ kind: "measured", warmUps, losses, ...last });
  }
}

/** Returns the last note of each arm. */
function latest<T extends { readonly arm: string }>(notes: readonly T[]): T[] {
  return [...new Map(notes.map((note) => [note.arm, note])).values()];
}

function lossesByArm(steps: readonly ShardStep[]): Map<string, Losses> {
  const byArm = new Map<string, (Loss | null)[]>();
  for (const { arm, first, losses } of steps.flatMap(({ losses }) => losses ?? [])) {
    const known = byArm.get(arm) ?? [];
    byArm.set(arm, known);
    losses.forEach((loss, i) => known[first + i] = loss);
  }
  return byArm;
}
