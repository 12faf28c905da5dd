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
