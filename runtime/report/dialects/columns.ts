import type { Dialect } from "./names.ts";

/** Tacho's measurements. */
export const MEASUREMENTS = [
  "step",
  "block",
  "batch cost",
  "reader cost",
  "ips",
  "iteration gap",
  "all-reduce",
  "forward",
  "backward",
  "update",
  "op time",
  "device busy",
  "load dataset",
  "let data",
  "setup function",
  "monitor loss",
  "runtime wait",
  "host queue",
  "device queue",
  "memory",
] as const;

export type Measurement = (typeof MEASUREMENTS)[number];

/**
 * Source of a dialect's column or line: measurements, a label (a name or a count), or null, which is printed as `–`,
 * since Tacho does not measure it.
 */
export type Source = readonly Measurement[] | "label" | null;

const PHASES = ["forward", "backward", "update"] as const satisfies readonly Measurement[];

/** Operators of MindInsight, on the device and on the host. */
const OPERATORS = ["op time", "load dataset", "let data", "monitor loss"] as const satisfies readonly Measurement[];

/** Sources of the figures of every dialect. */
export const SOURCES = {
  singa: {
    "Forward Propagation Time": ["forward"],
    "Backward Propagation Time": ["backward"],
    "OP_ID": ["op time", "all-reduce"],
  },
  nnc: {
    "load_dataset": ["load dataset"],
    "let_data": ["let data"],
    "generate_data": ["op time"],
    "setup_function": ["setup function"],
    "forward_function": ["op time"],
    "backward_function": ["op time"],
    "forward_all": ["forward"],
    "backward_all": ["backward"],
    "backward_all(wo param zero_grad)": ["backward"],
    "weight_decay": ["op time"],
    "update": ["update"],
    "monitor_loss": ["monitor loss"],
  },
  paddle: {
    "Reader Ratio": ["reader cost", "batch cost"],
    "reader_cost": ["reader cost"],
    "batch_cost": ["batch cost"],
    "ips": ["ips"],
    "Overview Event Type": "label",
    "Overview Calls": "label",
    "Overview CPU Time ProfileStep": ["batch cost"],
    "Overview CPU Time Dataloader": ["reader cost"],
    "Overview CPU Time Operator": null,
    "Overview CPU Time Forward": null,
    "Overview CPU Time Backward": null,
    "Overview CPU Time Optimization": null,
    "Overview GPU Time Kernel": ["op time"],
    "Overview GPU Time Memcpy": null,
    "Model Name": "label",
    "Model Calls": "label",
    "Model CPU ProfileStep": ["batch cost"],
    "Model CPU Dataloader": ["reader cost"],
    "Model CPU Forward": null,
    "Model CPU Backward": null,
    "Model CPU Optimization": null,
    "Model CPU Others": null,
    "Model GPU ProfileStep": PHASES,
    "Model GPU Dataloader": null,
    "Model GPU Forward": ["forward"],
    "Model GPU Backward": ["backward"],
    "Model GPU Optimization": ["update"],
    "Model GPU Others": null,
    "Operator Name": "label",
    "Operator Calls": "label",
    "Operator CPU": null,
    "Operator GPU": ["op time"],
    "Kernel Name": "label",
    "Kernel Calls": "label",
    "Kernel GPU": ["op time"],
  },
  mindinsight: {
    "step_num": "label",
    "start_point": ["iteration gap"],
    "end_point": ["update"],
    "total": ["iteration gap", ...PHASES, "all-reduce"],
    "fp_point": ["forward"],
    "bp_point": ["backward"],
    "iteration_interval": ["iteration gap"],
    "fp_and_bp": ["forward", "backward"],
    "all_reduce": ["all-reduce"],
    "tail": ["update"],
    "op_side": "label",
    "op_type": "label",
    "op_name": "label",
    "op_full_name": "label",
    "type_occurrences": "label",
    "total_time": OPERATORS,
    "total_proportion": OPERATORS,
    "avg_time": OPERATORS,
    "op_occurrences": "label",
    "op_total_time": ["op time"],
    "op_avg_time": ["op time"],
    "cuda_activity_cost_time": ["op time"],
    "cuda_activity_call_count": "label",
    "op_id": "label",
    "num_workers": "label",
    "op_time": ["load dataset", "let data"],
    "output_queue_size": "label",
    "output_queue_average_size": ["host queue", "device queue"],
    "output_queue_usage_rate": ["host queue", "device queue"],
    "parent_id": "label",
    "serial_number": "label",
  },
} as const satisfies Record<Dialect, Readonly<Record<string, Source>>>;

export type ColumnOf<D extends Dialect> = keyof (typeof SOURCES)[D] & string;

/** Returns the value of a column, or null where Tacho has no measurement for it. */
export function measured<D extends Dialect, T>(dialect: D, column: ColumnOf<D>, value: T): T | null {
  const sources: Readonly<Record<string, Source>> = SOURCES[dialect];
  return sources[column] === null ? null : value;
}
