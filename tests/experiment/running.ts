import { crossEntropy, linear, type Result, sequential, sgd, tensors } from "../../mod.ts";
import type { ProgressEvent } from "../../runtime/result/run_event.ts";
import { type ExperimentOptions, runExperiment } from "../../runtime/experiment/run_experiment.ts";
import { type ResolvedScenario, resolveScenario } from "../../runtime/scenario/resolve.ts";
import type { AdapterRecord } from "../../runtime/result/schema.ts";
import type {
  KeptFailure,
  KeptRound,
  KeptTraining,
  KeptWarmUp,
  RunRecorder,
} from "../../runtime/store/run_recorder.ts";

/** Settings of a fast training: 48 samples, 12 steps per epoch. */
export function tiny(settings: Record<string, unknown> = {}): { name: string } {
  const data = Float32Array.from({ length: 5 * 48 }, (_, i) => Math.sin(i * 0.7));
  return {
    name: "tiny",
    ...{
      model: sequential({ fc: linear(3) }),
      loss: crossEntropy(),
      optimizer: sgd({ learningRate: 0.1 }),
      data: tensors({
        input: { shape: [5], data },
        target: { data: Int32Array.from({ length: 48 }, (_, i) => i % 3) },
        test: { input: { shape: [5], data }, target: { data: Int32Array.from({ length: 48 }, (_, i) => i % 3) } },
        classes: 3,
      }),
      loader: { batchSize: 4 },
      measure: { steps: 2, skip: 2, maxSkip: 2, rounds: 3, opRounds: 1 },
    },
    ...settings,
  };
}

/** Settings of a loader without a model, which opens no device. */
export function loaderOnly(settings: Record<string, unknown> = {}): { name: string } {
  return tiny({ model: null, loss: null, optimizer: null, ...settings });
}

/** Runs a scenario, and interrupts it when `stops` returns true for a progress event. */
export async function runScenario(
  scenario: { name: string } | ResolvedScenario,
  options: Partial<ExperimentOptions> & { stops?: (event: ProgressEvent) => boolean } = {},
): Promise<Result> {
  const { stops = () => false, ...rest } = options;
  let stopped = false;
  return await runExperiment("measure" in scenario && "aliases" in scenario ? scenario : resolveScenario(scenario), {
    interrupted: () => stopped,
    onEvent: (event) => {
      if (event.type === "progress") stopped ||= stops(event);
    },
    profile: null,
    script: { file: null, sha256: null },
    ...rest,
  });
}

/** Records a run in memory; `again()` returns the recorder of the next sitting. */
export class MemoryRecorder implements RunRecorder {
  readonly rounds: KeptRound[] = [];
  readonly warmUps: KeptWarmUp[] = [];
  readonly failures: KeptFailure[] = [];
  readonly trainings: KeptTraining[] = [];
  resumed = 0;
  adapter: string | null = null;
  /** Records of the current sitting. */
  readonly kept = {
    rounds: [] as KeptRound[],
    warmUps: [] as KeptWarmUp[],
    failures: [] as KeptFailure[],
    trainings: [] as KeptTraining[],
  };
  readonly #losses = new Map<string, ReturnType<RunRecorder["losses"]>[number][]>();

  losses(arm: string) {
    return this.#losses.get(arm) ?? [];
  }

  keepAdapter({ name }: AdapterRecord): void {
    this.adapter = name;
  }

  keepRound(round: KeptRound): void {
    this.kept.rounds.push(round);
  }

  keepWarmUp(warmUp: KeptWarmUp): void {
    this.kept.warmUps.push(warmUp);
  }

  keepFailure(failure: KeptFailure): void {
    this.kept.failures.push(failure);
  }

  keepTraining(training: KeptTraining): void {
    this.kept.trainings.push(training);
  }

  keepLosses(arm: string, first: number, losses: ReturnType<RunRecorder["losses"]>): void {
    const known = this.#losses.get(arm) ?? [];
    known.splice(first, losses.length, ...losses);
    this.#losses.set(arm, known);
  }

  /** Returns the recorder of the next sitting, with all records copied as JSON. */
  again(): MemoryRecorder {
    const next = new MemoryRecorder();
    const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));
    next.rounds.push(...plain([...this.rounds, ...this.kept.rounds]));
    next.warmUps.push(...plain([...this.warmUps, ...this.kept.warmUps]));
    next.failures.push(...plain([...this.failures, ...this.kept.failures]));
    next.trainings.push(...plain([...this.trainings, ...this.kept.trainings]));
    next.resumed = this.resumed + 1;
    next.adapter = this.adapter;
    for (const [arm, losses] of this.#losses) next.#losses.set(arm, plain(losses));
    return next;
  }
}
