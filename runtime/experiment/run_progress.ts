import type { Emit, ProgressStage, SoFar } from "../result/run_event.ts";
import { ExpectedTime } from "./expected_time.ts";

/** Expected times before the first measurement of each, in ms. */
const COMPILE_MS = 1000;
const PROFILE_MS = 1000;
const PEAKS_MS = 3000;
const ABLATION_MS = 8000;

/** Fraction of a run that compilation takes while the time of a step is unknown. */
const BEFORE_STEPS = 0.05;

/** Expected amount of work of a run. */
export interface ExpectedWork {
  /** Number of arms. */
  readonly arms: number;
  /** Number of steps of all arms, without those of further trainings. */
  readonly steps: number;
  /** Number of variants to profile after the rounds. Default 0. */
  readonly profiled?: number;
  /** Minimum number of steps that time ops after the profiles, of all variants. Default 0. */
  readonly timedSteps?: number;
  /** Number of variants to ablate. Default 0. */
  readonly ablated?: number;
  /** Further trainings with other seeds, and to a target. Default none. */
  readonly seeds?: Trainings;
  readonly target?: Trainings;
  /** Clock in ms, for tests. */
  readonly now?: () => number;
}

/** Further trainings from scratch. */
export interface Trainings {
  readonly trainings: number;
  /** Expected number of steps of each. */
  readonly steps: number;
}

const NO_TRAININGS: Trainings = { trainings: 0, steps: 0 };

type Part = "compile" | "steps" | "profile" | "ops" | "ablations" | "peaks" | "seeds" | "target";

const PART_OF: Readonly<Partial<Record<ProgressStage, Part>>> = {
  compile: "compile",
  warmup: "steps",
  measure: "steps",
  profile: "profile",
  peaks: "peaks",
  seeds: "seeds",
  target: "target",
};

/** Parts after the rounds, in the order in which they run. */
const LATER: readonly Part[] = ["profile", "ops", "ablations", "peaks", "seeds", "target"];

/** Emits the progress of a run as events, with the fraction of its expected time that has passed. */
export class RunProgress {
  readonly #emit: Emit;
  readonly #now: () => number;
  readonly #parts: Readonly<Record<Part, ExpectedTime>>;
  /** Steps of a training, or of another unit, by part. */
  readonly #lengths: Readonly<Partial<Record<Part, number>>>;
  /** Arms that have run a step. */
  readonly #compiled = new Set<string>();
  /** Later parts that have begun. */
  readonly #begun = new Set<Part>();
  /** Time of the first event. */
  #began: number | null = null;
  /** Time and part of the last event. */
  #last: { readonly at: number; readonly part: Part | undefined } | null = null;
  /** Stage that the last event belongs to: variant, stage and, where it tells trainings apart, message. */
  #stage = "";
  /** Step of the first event of a warm-up; earlier steps are counted already. */
  #firstStep = 0;
  #fraction = 0;

  constructor(emit: Emit, work: ExpectedWork) {
    const { arms, steps, profiled = 0, timedSteps = 0, ablated = 0, seeds = NO_TRAININGS, target = NO_TRAININGS } =
      work;
    this.#emit = emit;
    this.#now = work.now ?? (() => performance.now());
    this.#parts = {
      compile: new ExpectedTime({ units: arms, prior: COMPILE_MS }),
      steps: new ExpectedTime({ units: Math.max(1, steps), prior: null }),
      profile: new ExpectedTime({ units: profiled, prior: PROFILE_MS }),
      ops: new ExpectedTime({ units: timedSteps, prior: null }),
      ablations: new ExpectedTime({ units: ablated, prior: ABLATION_MS }),
      peaks: new ExpectedTime({ units: 0, prior: PEAKS_MS }),
      seeds: new ExpectedTime({ units: seeds.trainings, prior: null }),
      target: new ExpectedTime({ units: target.trainings, prior: null }),
    };
    this.#lengths = { ops: 1, seeds: seeds.steps, target: target.steps };
  }

  /** Counts steps as done, or as not needed. */
  advance(steps: number): void {
    this.#parts.steps.complete(steps);
  }

  /** Sets the number of steps that are expected to follow, which may differ from that at the start. */
  expect(steps: number): void {
    this.#parts.steps.expect(steps);
  }

  /** Expects a measurement of the adapter's peaks. */
  expectPeaks(): void {
    this.#parts.peaks.expect(1);
  }

  at(
    variant: string | null,
    stage: ProgressStage,
    step = 0,
    steps = 0,
    more: { readonly message?: string; readonly soFar?: SoFar | null } = {},
  ): void {
    const part = PART_OF[stage];
    const { message, soFar = null } = more;
    this.#pass(part);
    this.#count(variant, stage, part, { step, share: steps > 0 ? Math.min(1, step / steps) : 0, message });
    this.#emit({
      type: "progress",
      variant,
      stage,
      step,
      steps,
      fraction: stage === "data" ? null : this.#passed(),
      ...(message === undefined ? {} : { message }),
      ...(soFar === null ? {} : { soFar }),
    });
  }

  /** Reports a step that times ops; `done` of at least `all` steps of all variants are complete. */
  opTimes(variant: string, done: number, all: number, message: string): void {
    this.#follow("ops", variant, { done, all, message });
  }

  /** Reports a round of ablations; `done` of `all` variants are complete, counting this one fractionally. */
  ablation(variant: string, done: number, all: number, message: string): void {
    this.#follow("ablations", variant, { done, all, message });
  }

  #follow(
    part: "ops" | "ablations",
    variant: string,
    { done, all, message }: { readonly done: number; readonly all: number; readonly message: string },
  ): void {
    this.#pass(part);
    this.#parts[part].expect(all);
    this.#parts[part].within = done;
    this.#emit({
      type: "progress",
      variant,
      stage: "profile",
      step: 0,
      steps: 0,
      message,
      fraction: this.#passed(),
    });
  }

  /** Adds the time since the last event to its part, and ends the parts that `part` follows. */
  #pass(part: Part | undefined): void {
    const at = this.#now();
    this.#began ??= at;
    if (this.#last?.part !== undefined) this.#parts[this.#last.part].spend(at - this.#last.at);
    this.#last = { at, part };
    if (part === undefined || !LATER.includes(part)) return;
    const before: readonly Part[] = ["compile", "steps", ...LATER.slice(0, LATER.indexOf(part))];
    for (const earlier of before) this.#parts[earlier].end();
  }

  /** Counts the units of a part that an event completes, and how much of the current one is done. */
  #count(
    variant: string | null,
    stage: ProgressStage,
    part: Part | undefined,
    { step, share, message }: { readonly step: number; readonly share: number; readonly message: string | undefined },
  ): void {
    const { compile, steps } = this.#parts;
    const name = JSON.stringify([variant, stage, stage === "seeds" || stage === "target" ? message : null]);
    const begins = name !== this.#stage;
    this.#stage = name;
    if (part === "steps") {
      if (variant !== null && !this.#compiled.has(variant)) {
        this.#compiled.add(variant);
        compile.complete(1);
      }
      if (begins) this.#firstStep = stage === "warmup" ? step : 0;
      steps.within = Math.max(0, step - this.#firstStep);
    } else if (part === "compile") {
      if (variant !== null && !this.#compiled.has(variant)) compile.within = share;
    } else if (part !== undefined) {
      // The first event of a stage ends the one before it
      if (begins && this.#begun.has(part)) this.#parts[part].complete(1);
      this.#begun.add(part);
      this.#parts[part].within = share;
    }
  }

  /** Returns the fraction of the expected time that has passed, which never falls. */
  #passed(): number {
    this.#fraction = Math.max(this.#fraction, this.#estimate());
    return this.#fraction;
  }

  #estimate(): number {
    const { steps, compile } = this.#parts;
    const pace = steps.pace;
    const times = Object.entries(this.#parts).map(([part, expected]) => {
      const length = this.#lengths[part as Part];
      if (length === undefined) return expected.left();
      return expected.left(expected.pace ?? (pace === null ? null : length * pace));
    });
    if (times.includes(null)) return BEFORE_STEPS * compile.fraction;
    const elapsed = this.#now() - this.#began!;
    const left = times.reduce<number>((sum, time) => sum + time!, 0);
    return left > 0 ? elapsed / (elapsed + left) : 1;
  }
}
