import { InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { sizeOf } from "../../core/shape.ts";
import { clipped } from "../../core/shown.ts";
import type { OnnxSummary } from "../../onnx/summary.ts";
import { formatValue } from "../../onnx/value_info.ts";

/** Options of {@linkcode scenarioText}. */
export interface ScenarioTextOptions {
  /** Path of the model, relative to the script. */
  readonly model: string;
  /** Sizes of named dimensions. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Batch size if the file leaves it open. */
  readonly batchSize: number;
}

/** Samples that a script makes, in batches. */
const BATCHES = 4;

/** Most elements of inputs that a script makes up: 1 GiB. */
const MAX_ELEMENTS = 2 ** 28;

/**
 * Returns a script that measures the inference of a model with made-up inputs, in f32, with f16, and with many batches in each submission.
 *
 * @throws {InputError} if a size is open that is not given
 */
export function scenarioText(summary: OnnxSummary, options: ScenarioTextOptions): string {
  const { model, batchSize } = options;
  const fields = summary.inputs.map((input) => ({ name: input.field ?? "input", ...fieldOf(input, options) }));
  const record = fields.length > 1;
  const elements = fields.reduce((sum, { shape }) => sum + sizeOf(shape) * BATCHES * batchSize, 0);
  if (elements > MAX_ELEMENTS) {
    const types = summary.inputs.map((input) => clipped(formatValue(input))).join(", ");
    throw new InputError(
      `tacho onnx: ${BATCHES * batchSize} samples of ${
        clipped(types, 200)
      } have ${elements} elements; expected at most ` +
        `${MAX_ELEMENTS}: use a smaller --batch-size or --size, or export the model with named axes`,
    );
  }
  const written = fields.map(({ name, shape, code }) =>
    `${name}: {
      shape: [${shape.join(", ")}],
      data: ${code},
    },`
  );
  const inputs = record ? `inputs: {\n    ${written.join("\n    ")}\n    },` : written.join("\n    ");
  const name = scenarioName(summary.name.replace(/\.onnx$/, ""));
  return `/** Measures the inference of ${printable(summary.name).replaceAll("*/", "* /")}. */
import { onnx, run, scenario, tensors } from "@tacho/tacho";

const samples = ${BATCHES * batchSize};

export default scenario({
  name: ${JSON.stringify(name)},
  model: await onnx(new URL(${JSON.stringify(model)}, import.meta.url)),
  mode: "infer", // with a loss, an optimizer and targets: "train"
  data: tensors({
    // Made up; the time of a step hardly depends on the values
    ${inputs}
    target: { data: new Float32Array(samples) },
  }),
  loader: { batchSize: ${batchSize} },
  measure: { steps: 20, rounds: 12 },
  variants: {
    baseline: {},
    sink: { sink: 20 }, // submits 20 batches at once
    amp: { amp: "O2" },
  },
});

if (import.meta.main) await run();
`;
}

/** Returns the shape of one sample, and the expression of all samples' values. */
function fieldOf(input: OnnxSummary["inputs"][number], { sizes }: ScenarioTextOptions) {
  const { type, shape } = input;
  const name = clipped(input.name);
  if (shape === null || shape.length === 0) {
    throw new InputError(`tacho onnx: the input "${name}" has no batch dimension; expected one, such as [batch, 16]`);
  }
  const sample = shape.slice(1).map((size, i) => {
    if (typeof size === "number" && size > 0) return size;
    if (typeof size === "number") {
      throw new InputError(
        `tacho onnx: dimension ${i + 1} of the input "${name}", ${formatValue(input)}, is ${size}; expected at least 1`,
      );
    }
    const known = size === null ? undefined : sizes.get(size);
    if (known !== undefined) return known;
    throw new InputError(
      size === null
        ? `tacho onnx: dimension ${i + 1} of the input "${name}", ${formatValue(input)}, has no name; ` +
          "export the model with named axes"
        : `tacho onnx: the size of ${size} in the input "${name}", ${
          formatValue(input)
        }, is open; add --size ${size}=N`,
    );
  });
  const length = `${sizeOf(sample)} * samples`;
  const code = !/^u?int|^bool/.test(type)
    ? `Float32Array.from({ length: ${length} }, (_, i) => Math.sin(i))`
    : type === "bool"
    ? `new Float32Array(${length}).fill(1)`
    : `new Int32Array(${length})`;
  return { shape: sample, code };
}

/** Returns a file's name as a scenario can have it: a letter, then letters, digits and `- _ .`. */
function scenarioName(file: string): string {
  const name = file.replaceAll(/[^\w.-]+/g, "-").replace(/^[^a-z]+|-+$/gi, "");
  return name === "" ? "model" : name;
}
