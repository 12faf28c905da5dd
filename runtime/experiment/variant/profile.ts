import type { OpSetup } from "../../analysis/profiled_ops.ts";
import { listenToRanges } from "../../core/range.ts";
import type { Loader } from "../../data/loader/loader.ts";
import type { Device } from "../../device/device.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import { Recorder } from "../../record/recorder.ts";
import { type ProfileRequest, stepCount } from "../../record/schedule.ts";
import { firstDispatches, type ProfiledRun, type ProfileOptions, runProfile } from "../../trainer/profile_run.ts";
import { medianVariance } from "../../analysis/op_diff/log_difference.ts";
import { median } from "../../core/statistics.ts";
import { OpSamples } from "../../trainer/op_samples.ts";
import type { Session } from "../../trainer/session.ts";
import type { OnProgress } from "../arm.ts";
import { type ComposedProfile, composeProfile, hostRanges, type MeasuredHost } from "./compose_profile.ts";

/** Profiled steps of a variant with a model, and the profile made from them. */
export class OpProfile {
  readonly #name: string;
  readonly #session: Session;
  readonly #device: Device;
  readonly #request: ProfileRequest;
  readonly #setups = new Map<string, OpSetup>();
  /** WGSL of the kernels of each op whose setup was timed. */
  #code: ReadonlyMap<string, readonly string[]> = new Map();
  readonly #ranges = new Map<string, { calls: number; total: number }>();
  #run: ProfiledRun | null = null;
  #samples: OpSamples | null = null;
  #kept = new Recorder().take();

  constructor(name: string, session: Session, device: Device, request: ProfileRequest) {
    this.#name = name;
    this.#session = session;
    this.#device = device;
    this.#request = request;
  }

  /** Number of steps of the schedule. */
  get steps(): number {
    return stepCount(this.#request);
  }

  /** Times the first run of each op separately, before anything else runs; after a change of plan, of changed ops only. */
  async setUp(onOp?: OnProgress): Promise<void> {
    const { ops, plan } = this.#session.executor;
    const dispatches = Map.groupBy(
      plan.segments.flatMap((segment) => segment.dispatches),
      (dispatch) => dispatch.nodeId,
    );
    const code = new Map(ops.map(({ nodeId }) => [nodeId, dispatches.get(nodeId)!.map(({ kernel }) => kernel.wgsl)]));
    const fresh = ops.filter(({ nodeId }) => code.get(nodeId)!.join() !== this.#code.get(nodeId)?.join());
    const first = await firstDispatches(this.#session, this.#device, fresh, onOp);
    this.#code = code;
    const seen = new Set<string>();
    for (const op of ops) {
      let pipeline = 0;
      for (const { kernel } of dispatches.get(op.nodeId)!) {
        // A shared pipeline counts for the first of its ops
        if (!seen.has(kernel.wgsl)) pipeline += this.#device.pipelines.creationTime(kernel) ?? 0;
        seen.add(kernel.wgsl);
      }
      const firstDispatch = first.get(op) ?? this.#setups.get(op.nodeId)!.firstDispatch;
      this.#setups.set(op.nodeId, { pipeline, firstDispatch });
    }
  }

  /** Runs the schedule in blocks like the measured ones. Returns true if interrupted. */
  async run(
    loader: Loader,
    recorder: Recorder,
    hooks: Pick<ProfileOptions, "blockSteps" | "monitor" | "shouldStop" | "onStep">,
  ): Promise<boolean> {
    const unlisten = listenToRanges((path, start) => (end) => {
      if (!recorder.recording) return; // the step is not recorded
      const known = this.#ranges.get(path) ?? { calls: 0, total: 0 };
      this.#ranges.set(path, { calls: known.calls + 1, total: known.total + end - start });
      recorder.span("main", path, start, end);
    });
    try {
      this.#run = await runProfile({
        session: this.#session,
        device: this.#device,
        loader,
        request: this.#request,
        recorder,
        ...hooks,
      });
    } finally {
      unlisten();
      this.#kept = recorder.take();
    }
    return this.#run.interrupted;
  }

  /** Times each dispatch in one more step, and restores the training state. Does nothing without timestamps. */
  async timeOps(): Promise<void> {
    if (!this.#device.timestamps) return;
    await (this.#samples ??= new OpSamples(this.#session, this.#device)).add();
  }

  /** Median relative standard error of the times of dispatches so far; null with fewer than 3 rounds. */
  get opError(): number | null {
    const variances = (this.#samples?.byDispatch ?? []).flatMap((ticks) =>
      medianVariance(ticks.filter((time) => time > 0).map(Math.log)) ?? []
    );
    return variances.length === 0 ? null : Math.sqrt(median(variances));
  }

  /** Returns op records, the profile, and the timeline of the recorded steps on the host's time axis. */
  result(clock: ClockFit | null, measured: MeasuredHost): ComposedProfile {
    return composeProfile(
      {
        name: this.#name,
        plan: this.#session.executor.plan,
        memory: this.#session.compiled.memory,
        executor: this.#session.executor,
        run: this.#run,
        setups: this.#setups,
        samples: this.#samples?.byDispatch,
        hostRanges: hostRanges(this.#ranges),
        kept: this.#kept,
      },
      clock,
      measured,
    );
  }
}
