import type { Timeline } from "../../record/timeline.ts";
import type { Result } from "../../result/schema.ts";

/** Profile of a loop: a result like a scenario's, with one variant, and its timeline. */
export class LoopProfile {
  /** Result with the recorded steps, their tables and ops. */
  readonly result: Result;
  /** Host and device of the first recorded steps on one axis. */
  readonly timeline: Timeline;
  /** Number of the schedule's cycle, from 0; null for all cycles together. */
  readonly cycle: number | null;

  /** Created by `profile()`. */
  constructor(result: Result, timeline: Timeline, cycle: number | null) {
    this.result = result;
    this.timeline = timeline;
    this.cycle = cycle;
  }

  /** Returns the timeline in Chrome's trace event format, which Perfetto and `chrome://tracing` open. */
  async trace(): Promise<string> {
    const { renderTrace, traceMeta } = await import("../../report/trace/trace.ts");
    return renderTrace([this.timeline], traceMeta(this.result));
  }

  /**
   * Writes the files of a scenario's `--report` to a folder, replacing earlier ones: page, Markdown, CSV, trace, result.
   *
   * @throws {InputError} if the folder cannot be written
   */
  async report(folder: string): Promise<void> {
    const { checkFolder, writeReport } = await import("../report_folder.ts");
    await checkFolder(folder, "report");
    await writeReport(folder, this.result, { timelines: [this.timeline], command: null }, "report");
  }
}
