import { dirname, relative, resolve, sep } from "node:path";
import { InputError } from "../../core/errors.ts";
import { printable, printableLines } from "../../core/printable.ts";
import { writeFile } from "../../core/files.ts";
import { isInstance } from "../../core/is_instance.ts";
import { shellWord } from "../../core/shell_word.ts";
import { loadModel } from "../../onnx/loaded_model.ts";
import { sourceOf } from "../../onnx/open_model.ts";
import { type OnnxSummary, summarize } from "../../onnx/summary.ts";
import { type Trial, tryToBuild } from "../../onnx/trial_build.ts";
import { createPage, renderSection } from "../../report/page.ts";
import { wholeNumber } from "../flag_values.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { scenarioText } from "../onnx/scenario_text.ts";
import { operatorsTable, tensorGroupsTable, tensorsTable, valuesTable } from "../onnx/summary_tables.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";
import { formatCounted } from "../../report/format.ts";

/** Default batch size of a written scenario. */
const BATCH_SIZE = 8;

export const define = () =>
  createPlainCommand({
    name: "onnx",
    description:
      "Describes an ONNX file: inputs, outputs, operators, whether Tacho builds the model, and what a training changes. " +
      "With --script, also writes a scenario that measures its inference.",
    examples: [
      ["tacho onnx model.onnx", "describe a file"],
      ["tacho onnx model.onnx --tensors", "list every tensor, whether it is trained, and why"],
      ["tacho onnx model.onnx --script model.ts", "write a scenario, to be run by tacho run model.ts"],
      [
        "tacho onnx bert.onnx --script bert.ts --size sequence=128",
        "give the size of a dimension that the file leaves open",
      ],
      ["tacho onnx model.onnx --json", "print JSON for other programs"],
    ],
  })
    .argument("<file>", "path of an ONNX file")
    .option("--script <file>", "write a scenario to this file; overwrites nothing")
    .option(
      "--batch-size <n>",
      `batch size of the scenario (default: the file's, or ${BATCH_SIZE})`,
      wholeNumber("--batch-size", 1),
    )
    .option(
      "--size <name=n>",
      "size of an open dimension in the scenario; can be repeated",
      size,
    )
    .option("--tensors", "list every tensor, whether it is trained, and why")
    .option("--json", "print JSON");

/** Describes an ONNX file. */
export const run = runOf(
  define,
  async ({ script, batchSize: givenBatch, size: sizes = new Map(), json = false, tensors = false, color }, [file]) => {
    const model = loadModel(sourceOf(file), () => false);
    const summary = summarize(model);
    checkSizes(summary, sizes);
    const batchSize = givenBatch ?? batchOf(summary) ?? BATCH_SIZE;
    const isComplete = summary.operators.every(({ supported }) => supported);
    const trial = isComplete ? tryToBuild(model, { batchSize, sizes }) : LACKING;
    if (json) {
      await writeJson(STDOUT, { ...summary, ...trial });
    } else {
      const page = createPage(lookOfStdout(color));
      const sections = [
        ...renderSection(page, valuesTable(summary)),
        "",
        ...renderSection(page, operatorsTable(summary)),
        "",
        ...renderSection(page, tensorGroupsTable(summary)),
        ...tensors ? ["", ...renderSection(page, tensorsTable(summary))] : [],
      ];
      writeOut(`${titleOf(summary, trial)}\n\n${sections.join("\n")}\n`);
    }
    if (script === undefined) return;
    if (trial.builds === false) throw new InputError(`tacho onnx: ${script} is not written: ${trial.problem}`);
    const folder = dirname(resolve(script));
    const text = scenarioText(summary, {
      model: relativeUrl(folder, resolve(file)),
      sizes,
      batchSize,
    });
    writeNew(script, text);
    if (!json) writeOut(`\nWrote ${script}; next: tacho run ${shellWord(script)}\n`);
  },
);

/** Returns a file's path relative to a folder, as a URL. */
function relativeUrl(folder: string, file: string): string {
  return relative(folder, file).split(sep).map(encodeURIComponent).join("/");
}

/** Result for a file with operators that Tacho lacks. */
const LACKING: Trial = { builds: false, problem: "Tacho lacks operators of the model" };

/** Returns the batch size that a file fixes; null if it leaves it open. */
function batchOf({ inputs: [first] }: OnnxSummary): number | null {
  const batch = first?.shape?.[0];
  return typeof batch === "number" && batch > 0 ? batch : null;
}

/** Words for a file whose operators Tacho all knows, by whether it builds the model. */
const VERDICTS = {
  true: "Tacho has all operators",
  false: "Tacho does not build it",
  null: "Tacho knows its operators",
};

function titleOf({ name, producer, opset, weights, operators }: OnnxSummary, trial: Trial): string {
  const nodes = operators.reduce((sum, operator) => sum + operator.nodes, 0);
  const missing = operators.filter(({ supported }) => !supported).length;
  const parts = [
    name,
    ...producer === "" ? [] : [producer],
    `opset ${opset}`,
    formatCounted(nodes, "node"),
    `${weights.toLocaleString("en")} weights`,
    missing > 0 ? `Tacho lacks ${missing} of ${operators.length} operators` : VERDICTS[`${trial.builds}`],
    ...trial.builds === null ? [`add --size to find out if it builds: ${trial.problem}`] : [],
  ];
  return printable(parts.join(" · ")) +
    (trial.builds === false && missing === 0 ? `\n\n${printableLines(trial.problem!)}` : "");
}

/** Largest size of a dimension: that of a tensor. */
const MAX_SIZE = 2 ** 32 - 1;

function size(given: string, sizes: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  const [, name, number] = /^(.+)=([1-9]\d*)$/.exec(given) ?? [];
  if (name !== undefined && Number(number) <= MAX_SIZE) return new Map([...sizes, [name, Number(number)]]);
  throw new InputError(
    `--size: expected the name of a dimension and its size, such as sequence=128, got "${given}"`,
  );
}

/** @throws {InputError} if a size is for a dimension that no input has */
function checkSizes({ name, inputs }: OnnxSummary, sizes: ReadonlyMap<string, number>): void {
  const open = new Set(inputs.flatMap(({ shape }) => shape?.slice(1) ?? []).filter((size) => typeof size === "string"));
  const unknown = [...sizes.keys()].find((given) => !open.has(given));
  if (unknown === undefined) return;
  if (inputs.some(({ shape }) => shape?.[0] === unknown)) {
    throw new InputError(`tacho onnx: ${unknown} is the batch dimension; use --batch-size ${sizes.get(unknown)}`);
  }
  throw new InputError(
    `tacho onnx: no input of ${name} has an open dimension "${unknown}"; ` +
      (open.size === 0 ? "all sizes of a sample are fixed" : `expected ${[...open].join(", ")}`),
  );
}

function writeNew(path: string, text: string): void {
  try {
    writeFile(path, text, { write: true, createNew: true });
  } catch (error) {
    if (!isInstance(error, Deno.errors.AlreadyExists)) throw error;
    throw new InputError(`tacho onnx: ${path} exists already; choose another file`, { cause: error });
  }
}
