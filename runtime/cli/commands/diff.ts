import type { DiffSide, DiffUnit } from "../../analysis/op_diff/side.ts";
import { DIFF_UNITS, programSide, roundsOf, variantSide } from "../../analysis/op_diff/side.ts";
import { opDiff } from "../../analysis/op_diff/op_diff.ts";
import { byLayer, ortSide } from "../../analysis/op_diff/ort_profile.ts";
import { type EnvironmentDifference, environmentDifferences } from "../../analysis/environment_differences.ts";
import { InputError } from "../../core/errors.ts";
import { isFile, readText } from "../../core/files.ts";
import { suggestion } from "../../core/nearest.ts";
import { keptProgram } from "../../library/kept/kept_program.ts";
import { renderOpDiffHtml } from "../../report/op_diff/html.ts";
import { markdownText } from "../../report/markdown/text.ts";
import { markdownOpDiff, renderOpDiff, type ShownDiff } from "../../report/op_diff/text.ts";
import type { Result, VariantResult } from "../../result/schema.ts";
import type { Store } from "../../store/store.ts";
import { DEFAULT_TOP, mixed, unitOf, untimed } from "../diff/diffs.ts";
import { oneOf, wholeNumber } from "../flag_values.ts";
import { checkTarget, STDOUT, writeJson, writeTarget } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { renderDifferences } from "./render_kept.ts";
import { needStore } from "./store_access.ts";

const NO_OPS = "--by: a program has no ops; compare programs by kernel";

export const define = () =>
  createCommand({
    name: "diff",
    description: "Compares two variants or programs op by op: what is slower, faster, new or gone.",
    examples: [
      ["tacho diff last:baseline last:amp", "compare two variants of the latest run"],
      ["tacho diff last~1 last", "compare the baselines of the last two runs"],
      ["tacho diff last~1:sink last:sink --by kernel", "compare a variant in two runs, kernel by kernel"],
      ["tacho diff 4k2p 7m3r", "compare two attached programs"],
      ["tacho diff last:before last:after", "compare two commits that tacho compare-commits measured"],
      ["tacho diff --ort before.json after.json", "compare two profile files of onnxruntime, node by node"],
      ["tacho diff --ort ort.json last", "compare onnxruntime with a run of the same model, layer by layer"],
      ["tacho diff last~1 last --markdown", "print Markdown for a pull request"],
      ["tacho diff last~1 last --html diff.html", "write a page"],
    ],
  })
    .argument("<a>", "RUN:VARIANT, a run for its baseline, an attached program, or a profile file with --ort")
    .argument("<b>", "what to compare with it")
    .option("--ort", "files among <a> and <b> are profiles that onnxruntime wrote")
    .option("--by <unit>", "compare by op or by kernel (default: op; programs: kernel)", oneOf("--by", DIFF_UNITS))
    .option("--top <n>", `number of rows, if fewer changed (default: ${DEFAULT_TOP})`, wholeNumber("--top", 1))
    .option("--markdown", "print Markdown")
    .option("--html <file>", "write a page with all rows; - for stdout")
    .option("--json", "print JSON");

/** A side, and the result and the variant that it is from; null for an attached program. */
interface Found {
  readonly side: DiffSide;
  readonly run: string;
  readonly result: Result | null;
  readonly variant: VariantResult | null;
}

/** Compares two variants or programs of kept runs by op. */
export const run = runOf(
  define,
  async ({ store: folder, color, by, top = DEFAULT_TOP, markdown = false, json = false, html, ort = false }, names) => {
    if (markdown && json) throw new InputError("--markdown: cannot be combined with --json");
    if (html === STDOUT && (markdown || json)) throw new InputError("--html -: cannot be combined with other output");
    if (html !== undefined) await checkTarget(html, "--html");
    const files = names.map((name) => ort && isFile(name));
    if (ort && !files.includes(true)) {
      throw new InputError(`--ort: expected a profile file, got ${names.join(" and ")}`);
    }
    if (ort && by !== undefined) {
      throw new InputError("--by: onnxruntime's profiles have nodes; omit one of the two flags");
    }
    const mixedSides = files.includes(false);
    using store = mixedSides ? needStore(folder) : null;
    const [a, b] = names.map((name, i) => {
      if (!files[i]) return ort ? layersOf(findSide(store!, name, "op")) : findSide(store!, name, by);
      const side = ortSide(name, readText(name), mixedSides ? "layer" : "node");
      return { side, run: side.label, result: null, variant: null };
    }) as [Found, Found];
    if (!ort && (a.result === null) !== (b.result === null)) {
      throw new InputError("tacho diff: expected two variants or two attached programs, got one of each");
    }
    const reason = a.variant === null || b.variant === null ? null : mixed(a.variant, b.variant);
    if (reason !== null) throw new InputError(`tacho diff: ${reason}`);
    const unit = ort ? "op" : a.variant === null ? "kernel" : unitOf(a.variant, by);
    const diff = opDiff(a.side, b.side, a.result?.procedure?.minEffect);
    const shown: ShownDiff = { diff, by: unit, top };
    if (html !== undefined) writeTarget(html, renderOpDiffHtml(diff, unit, facts(a, b)), "--html");
    if (html === STDOUT) return;
    if (json) await writeJson(STDOUT, { by: unit, environment: environmentOf(a, b), ...diff });
    else if (markdown) {
      const differences = facts(a, b).map((line) => `- ${markdownText(line)}`);
      const parts = [...differences.length === 0 ? [] : [differences], ...markdownOpDiff(shown)];
      writeOut(`${parts.map((lines) => lines.join("\n").trimEnd()).join("\n\n")}\n`);
    } else writeOut([...heads(a, b, color), renderOpDiff(shown, lookOfStdout(color))].join("\n"));
  },
);

/** Returns the differences of the environments of two runs, among them the files that they read. */
function environmentOf(a: Found, b: Found): EnvironmentDifference[] {
  if (a.result === null || b.result === null || a.run === b.run) return [];
  return environmentDifferences(a.result.environment, b.result.environment);
}

/** Returns the differences of the environments of two runs as sentences. */
function facts(a: Found, b: Found): string[] {
  return environmentOf(a, b).map(({ what, then, now }) =>
    `${what}: ${then ?? "unknown"} in ${a.run}, ${now ?? "unknown"} in ${b.run}`
  );
}

/** Returns the differences of the environments of two runs. */
function heads(a: Found, b: Found, color: boolean): string[] {
  if (a.result === null || b.result === null || a.run === b.run) return [];
  return [renderDifferences([a.run, b.run], environmentOf(a, b), [], lookOfStdout(color))];
}

/** Returns the forward ops of a variant by layer, as the nodes of onnxruntime are named. */
function layersOf(found: Found): Found {
  const { side, variant } = found;
  if (variant === null || variant.attached !== undefined) {
    throw new InputError(`--ort: ${found.run} is a program, whose kernels have no layers; expected a variant of a run`);
  }
  const layers = new Map(variant.ops.map(({ phase, id, layer }) => [`${phase} ${id}`, layer]));
  return { ...found, side: byLayer(side, layers) };
}

/** @throws {InputError} if there is no such run, variant or program, or it has no op times */
function findSide(store: Store, text: string, by: DiffUnit | undefined): Found {
  const [name = "", ...rest] = text.split(":");
  const variantName = rest.length === 0 ? null : rest.join(":");
  if (store.isAttached(name)) {
    if (variantName !== null) throw new InputError(`tacho diff: ${name} is an attached program and has no variants`);
    if (by === "op") throw new InputError(NO_OPS);
    const { run, result } = keptProgram(store, name);
    return { side: programSide(run.id, result), run: run.id, result: null, variant: null };
  }
  const { id, status } = store.run(store.resolve(name));
  const result = store.result(id);
  if (result === null) throw new InputError(`tacho diff: run ${id} is ${status} and has no result to compare`);
  const wanted = variantName ?? result.baseline;
  const variant = result.variants.find((one) => one.name === wanted);
  if (variant === undefined) {
    const known = result.variants.map((one) => one.name);
    throw new InputError(`tacho diff: run ${id} has no variant "${wanted}"${suggestion(wanted, known)}`);
  }
  const reason = untimed(variant);
  if (reason !== null) throw new InputError(`tacho diff: run ${id}: ${reason}`);
  if (by === "op" && variant.attached !== undefined) throw new InputError(NO_OPS);
  const rounds = roundsOf(result, variant.name);
  const side = variantSide(`${id}:${variant.name}`, variant, by ?? "op", rounds && `${id} ${rounds}`);
  return { side, run: id, result, variant };
}
