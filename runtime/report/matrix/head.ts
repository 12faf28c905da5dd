import type { Result } from "../../result/schema.ts";
import type { Paint } from "../color.ts";
import { formatCount } from "../format.ts";
import { roundsText } from "./procedure.ts";
import { nameInProse } from "../plain_text.ts";
import { each, settingsOf } from "../settings.ts";
import { wrap } from "../wrap.ts";

/** The lines above the matrix: what ran, on what, for how long. */
export function matrixHead(result: Result, width: number, paint: Paint): string[] {
  const lines = wrap(subject(result), width).map((line) => paint(line, "title"));
  lines.push(...wrap(device(result), width).map((line) => isSoftware(result) ? paint(line, "warning") : line));
  const measured = procedureText(result);
  if (measured !== "") lines.push(...wrap(measured, width));
  return lines;
}

/** What ran, on what, for how long, a sentence each. */
export function headSentences(result: Result): string[] {
  return [subject(result), device(result), procedureText(result)].filter((sentence) => sentence !== "");
}

function subject({ scenario, variants }: Result): string {
  const settings = variants.map((variant) => settingsOf(variant.config));
  const models = each(settings.map((setting) => setting.model), nameInProse);
  const parameters = each(variants.map((variant) => variant.parameters), formatCount);
  const batch = each(settings.map((setting) => setting.batchSize), String);
  return [
    nameInProse(scenario.name),
    models,
    parameters === null ? null : `${parameters} parameters`,
    batch === null ? null : `batch ${batch}`,
    `seed ${scenario.seed}`,
  ].filter((part) => part !== null).join(" · ");
}

function device(result: Result): string {
  const { adapter } = result.environment;
  if (adapter === null) return "no device was used";
  const name = adapter.name === null ? "unnamed adapter" : nameInProse(adapter.name);
  return isSoftware(result) ? `${name} · software adapter: kernels run on the CPU` : name;
}

function isSoftware(result: Result): boolean {
  return result.environment.adapter?.fallback === true;
}

function procedureText({ variants, procedure }: Result): string {
  const settings = variants.map((variant) => settingsOf(variant.config));
  const rounds = each(settings.map((setting) => setting.rounds), String);
  const steps = each(settings.map((setting) => setting.steps), String);
  const epochs = each(settings.map((setting) => setting.epochs), String);
  const skip = each(settings.map((setting) => setting.skip), String);
  return [
    procedure !== null ? roundsText(procedure) : rounds === null ? null : `rounds ${rounds}`,
    steps === null ? null : `steps ${steps} a block`,
    epochs === null ? null : `epochs ${epochs}, a block each`,
    skip === null ? null : `skip ${skip} at first`,
  ].filter((part) => part !== null).join(" · ");
}
