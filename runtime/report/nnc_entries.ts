import { setupOf } from "../analysis/op_groups.ts";
import { phaseSeries, stepPhases, stepSeries } from "../analysis/step_statistics.ts";
import { solverName } from "../nn/optimizers.ts";
import { fieldOf, uploadOf } from "../record/copies.ts";
import { isField, phasesNamed } from "../record/phases.ts";
import type { OpRecord, VariantResult } from "../result/schema.ts";
import { batchesPerStep } from "../scenario/config.ts";
import { type ColumnOf, measured } from "./dialects/columns.ts";
import { opName } from "./dialects/names.ts";

/** Line of the log of Sony's Neural Network Console. */
export interface NncEntry {
  /** Function name in the tool, or our name of a phase that the tool lacks. */
  readonly function: string;
  /** Layer, variable or optimizer; empty where the line names none. */
  readonly layer: string;
  /** Type of the function, such as `Convolution`; for data, its destination. */
  readonly type: string;
  readonly inPlace: boolean;
  /** ms; null where it was not measured. */
  readonly ms: number | null;
  readonly clock: "host" | "device";
  /** Ops summed in this line. */
  readonly ops: readonly OpRecord[];
}

/**
 * Returns a variant's lines in the tool's order. A function's gradient is one line, even with several ops. Times on the
 * device are medians, so that one stalled step gives no layer more than the phase that it belongs to.
 */
export function nncEntries(variant: VariantResult): NncEntry[] {
  const { ops, blocks } = variant;
  const entry = (name: ColumnOf<"nnc">, ms: number | null, fields: Partial<NncEntry> = {}): NncEntry => ({
    function: name,
    layer: "",
    type: "",
    inPlace: false,
    clock: "host",
    ops: [],
    ...fields,
    ms: measured("nnc", name, ms),
  });
  const host = (work: string) => variant.profile?.host.find(({ name }) => name === work)?.mean ?? null;
  const ofBatches = (work: string) => {
    const each = host(work);
    return each === null ? null : each * batchesPerStep(variant.config);
  };
  const phase = (name: string) => phaseSeries(blocks, name).spread?.median ?? null;
  const forward = ops.filter((op) => op.phase === "forward");
  const backward = ops.filter((op) => op.phase === "backward");
  const optimizer = optimizerName(variant);
  const further = phasesNamed([...stepPhases(blocks).map(({ name }) => name), ...ops.map((op) => op.phase)])
    .map(({ name }) => name).filter((name) => !isField(name));
  const ofOp = (name: ColumnOf<"nnc">, op: OpRecord, ms: number | null) =>
    entry(name, ms, {
      layer: op.name,
      type: opName("nnc", op),
      inPlace: op.inPlace,
      ops: [op],
      clock: name === "setup_function" ? "host" : "device",
    });
  return [
    // Without a model no steps are profiled, but the loop still waits for batches
    entry("load_dataset", ofBatches("load dataset") ?? stepSeries(blocks, "readerCost").spread?.mean ?? null),
    ...uploads(variant, forward).map(({ work, ...fields }) => entry("let_data", ofBatches(work), fields)),
    ...forward.filter((op) => isGenerator(op)).map((op) => ofOp("generate_data", op, op.median)),
    ...forward.map((op) => ofOp("setup_function", op, setupOf(op))),
    ...forward.filter((op) => !isGenerator(op)).flatMap((op) => {
      const [loss, mean] = op.precision === "loss" && op.kernels.length === 2 ? op.kernels : [op];
      return [
        ofOp("forward_function", op, loss!.median),
        // nnabla's losses are of each sample, and their mean is a function of its own
        ...mean === undefined ? [] : [{ ...ofOp("forward_function", op, mean.median), type: "Mean", ops: [] }],
      ];
    }),
    ...gradients(forward, backward).map(({ name, type, ops }) =>
      entry("backward_function", sum(ops), {
        layer: name,
        type,
        inPlace: ops.some((op) => op.inPlace),
        clock: "device",
        ops,
      })
    ),
    entry("forward_all", phase("forward"), { clock: "device" }),
    entry("backward_all", phase("backward"), { clock: "device" }),
    entry("backward_all(wo param zero_grad)", phase("backward"), { clock: "device" }),
    ...decays(variant)
      ? [entry("weight_decay", variant.profile?.weightDecay?.median ?? null, { layer: optimizer, clock: "device" })]
      : [],
    // Further phases have lines like the update's, under their own names
    ...["update", ...further].map((name) =>
      entry("update", phase(name), {
        function: name,
        layer: name === "update" ? optimizer : "",
        clock: "device",
        ops: ops.filter((op) => op.phase === name),
      })
    ),
    entry("monitor_loss", host("monitor loss")),
  ];
}

interface Upload {
  /** Host work that it is measured as. */
  readonly work: string;
  readonly layer: string;
  readonly type: string;
}

/** Returns the uploads of a batch: its fields to their variables, or the batch where no field was timed alone. */
function uploads({ profile }: VariantResult, forward: readonly OpRecord[]): Upload[] {
  const fields = (profile?.host ?? []).flatMap(({ name }) => fieldOf(name) ?? []);
  const loss = forward.find((op) => op.precision === "loss");
  const target = loss === undefined ? "Target" : `${opName("nnc", loss)}_T`;
  if (fields.length === 0) return [{ work: "let data", layer: "x", type: "Input" }];
  return fields.map((field) => ({
    work: uploadOf(field),
    layer: field === "input" ? "x" : field === "target" ? "y" : field,
    type: field === "target" ? target : field === "input" ? "Input" : field,
  }));
}

/** Returns nnabla's name of the optimizer. */
function optimizerName({ config }: VariantResult): string {
  return solverName(config.optimizer ?? {}) ?? "none";
}

/** Returns true if the optimizer decays weights. */
function decays({ config: { optimizer } }: VariantResult): boolean {
  const weightDecay = optimizer?.["weightDecay"];
  return typeof weightDecay === "number" && weightDecay > 0;
}

/** Returns true if an op generates data from the step state only, as constants and random numbers do. */
function isGenerator({ inputs }: OpRecord): boolean {
  return inputs.every(({ dtype, shape }) => dtype === "u32" && shape.length === 1 && shape[0] === 4);
}

interface Gradient {
  readonly name: string;
  readonly type: string;
  readonly ops: OpRecord[];
}

/** Groups the backward ops by the function whose gradient they compute, in step order. */
function gradients(forward: readonly OpRecord[], backward: readonly OpRecord[]): Gradient[] {
  const owners = new Map(forward.flatMap((op) => [op.id, ...op.members].map((id) => [id, op] as const)));
  const found = new Map<string, Gradient>();
  for (const op of backward) {
    const node = op.id.split("/")[0]!;
    const owner = owners.get(node);
    const key = owner?.id ?? op.id;
    const gradient = found.get(key) ?? { name: owner?.name ?? op.name, type: opName("nnc", owner ?? op), ops: [] };
    gradient.ops.push(op);
    found.set(key, gradient);
  }
  return [...found.values()];
}

/** Returns the sum of median times; null where one was not measured. */
function sum(ops: readonly OpRecord[]): number | null {
  return ops.reduce<number | null>((sum, { median }) => sum === null || median === null ? null : sum + median, 0);
}
