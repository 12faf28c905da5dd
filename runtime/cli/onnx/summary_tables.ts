import { sizeOf } from "../../core/shape.ts";
import type { OnnxTensor } from "../../onnx/model_type.ts";
import type { OnnxSummary, OperatorUse } from "../../onnx/summary.ts";
import { formatValue } from "../../onnx/value_info.ts";
import { counts, names, type TableSpec, words } from "../../report/spec.ts";

interface ValueRow {
  readonly role: "input" | "output";
  readonly name: string;
  readonly type: string;
}

/** Returns the table of a model's inputs and outputs. */
export function valuesTable({ inputs, outputs }: OnnxSummary): TableSpec<ValueRow> {
  const rows = (role: ValueRow["role"], values: OnnxSummary["inputs"]) =>
    values.map((value): ValueRow => ({ role, name: value.name, type: formatValue(value) }));
  return {
    title: "Inputs and outputs",
    columns: [
      words("role", ({ role }) => role),
      names("name", ({ name }) => name),
      words("type", ({ type }) => type),
    ],
    rows: [...rows("input", inputs), ...rows("output", outputs)],
    notes: [],
  };
}

/** Returns the table of the operators in a file. */
export function operatorsTable({ operators }: OnnxSummary): TableSpec<OperatorUse> {
  return {
    title: "Operators",
    columns: [
      names("operator", ({ name }) => name),
      counts("nodes", ({ nodes }) => nodes),
      words("supported", ({ supported }) => supported ? "yes" : "no", {
        tone: ({ supported }) => supported ? null : "warning",
      }),
    ],
    rows: operators,
    notes: [],
  };
}

/** Tensors of one usage for one reason. */
interface TensorGroup extends Pick<OnnxTensor, "usage" | "reason"> {
  readonly tensors: number;
  readonly elements: number;
}

/** Usages in the order of tables. */
const USAGES: readonly OnnxTensor["usage"][] = ["trained", "frozen", "state", "constant"];

/** Returns the table of what a training does with the tensors of a file, and why. */
export function tensorGroupsTable({ tensors }: OnnxSummary): TableSpec<TensorGroup> {
  const groups = new Map<string, TensorGroup>();
  for (const { usage, reason, shape } of tensors) {
    const known = groups.get(`${usage} ${reason}`) ?? { usage, reason, tensors: 0, elements: 0 };
    const grown = { ...known, tensors: known.tensors + 1, elements: known.elements + sizeOf(shape) };
    groups.set(`${usage} ${reason}`, grown);
  }
  const isTrained = tensors.some(({ usage }) => usage === "trained");
  return {
    title: "Tensors in training",
    columns: [
      words("usage", ({ usage }) => usage),
      words("reason", ({ reason }) => reason),
      counts("tensors", ({ tensors }) => tensors),
      counts("elements", ({ elements }) => elements),
    ],
    rows: USAGES.flatMap((usage) =>
      [...groups.values()].filter((group) => group.usage === usage).sort((a, b) => b.elements - a.elements)
    ),
    notes: isTrained ? [] : ["Nothing is trained: the file has no parameters."],
  };
}

/** Returns the table of all tensors by name. */
export function tensorsTable({ tensors }: OnnxSummary): TableSpec<OnnxTensor> {
  return {
    title: "Tensors",
    columns: [
      names("name", ({ name }) => name),
      words("type", (tensor) => formatValue(tensor)),
      words("usage", ({ usage }) => usage),
      words("reason", ({ reason }) => reason),
    ],
    rows: tensors,
    notes: [],
  };
}
