import type { Procedure, Result } from "../../result/schema.ts";
import { adaptedText } from "../adapted.ts";
import type { Tone } from "../color.ts";
import { isOwnLoop } from "../own_loop.ts";
import { formatCount, formatPercent, formatSeconds, MISSING } from "../format.ts";
import { headlineText } from "../headline.ts";
import { noiseTexts } from "./noise.ts";
import type { Page } from "../page.ts";
import { nameInProse } from "../plain_text.ts";
import { each, settingsOf } from "../settings.ts";
import { wrap } from "../wrap.ts";

/** Returns the lines above the matrix: subject, device, procedure and noise. */
export function matrixHead(result: Result, { width, paint, flags }: Page): string[] {
  const [subject, device, adapted, procedure, noise] = headParts(result, flags);
  const tones: [string, Tone | null][] = [
    [subject, "title"],
    [device, isSoftware(result) ? "warning" : null],
    [adapted, null],
    [procedure, null],
    [noise, null],
  ];
  return tones.filter(([text]) => text !== "").flatMap(([text, tone]) =>
    wrap(text, width).map((line) => tone === null ? line : paint(line, tone))
  );
}

/** Returns headline, subject, device, procedure and noise, one sentence each. */
export function headSentences(result: Result): string[] {
  return [headlineText(result), ...headParts(result, false)].filter((sentence) => sentence !== "");
}

function headParts(
  result: Result,
  flags: boolean,
): [subject: string, device: string, adapted: string, procedure: string, noise: string] {
  return [
    subject(result),
    device(result),
    adaptedText(result.scenario.adapted, flags) ?? "",
    procedureText(result),
    noiseTexts(result).join(" · "),
  ];
}

function subject({ scenario, variants }: Result): string {
  const settings = variants.map((variant) => settingsOf(variant.config));
  const models = each(settings.map((setting) => setting.model), nameInProse);
  const parameters = each(variants.map((variant) => variant.parameters), formatCount);
  const batch = each(settings.map((setting) => setting.batchSize), String);
  const accumulated = each(settings.map(({ accumulate }) => accumulate), String);
  return [
    nameInProse(scenario.name),
    models,
    parameters === null ? null : `${parameters} parameters`,
    batch === null ? null : `batch ${batch}`,
    accumulated === null ? null : `accumulate ${accumulated}`,
    variants.every(({ config }) => isOwnLoop(config)) ? null : `seed ${scenario.seed}`,
  ].filter((part) => part !== null).join(" · ");
}

function device(result: Result): string {
  const { adapter } = result.environment;
  const adapters = new Set((result.nodes ?? []).map(({ adapter }) => adapter ?? "unnamed adapter"));
  if (adapters.size > 1) return [...adapters].map(nameInProse).join(", ");
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
    procedure !== null ? roundsText(procedure) : rounds === null ? null : several(rounds, "round"),
    steps === null ? null : `${several(steps, "step")} per block`,
    epochs === null ? null : `${several(epochs, "epoch")}, one block each`,
    skip === null ? null : skip === "0" ? "no warm-up steps" : `at least ${several(skip, "warm-up step")}`,
  ].filter((part) => part !== null).join(" · ");
}

/** Returns how many rounds ran, and why the run ended early: `5 of 8 rounds, interrupted`. */
function roundsText({ planned, rounds, stoppedBy, precision, maxTime }: Procedure): string {
  const count = several(rounds === planned ? `${rounds}` : `${rounds} of ${planned}`, "round");
  const why: Record<Procedure["stoppedBy"], string | null> = {
    rounds: null,
    precision: `every interval within ±${precision === null ? MISSING : formatPercent(precision)} %`,
    time: `time limit reached${maxTime === null ? "" : ` (${formatSeconds(maxTime * 1000)})`}`,
    interrupted: "interrupted",
    failed: "stopped by a failure",
  };
  return [count, why[stoppedBy]].filter((part) => part !== null).join(", ");
}

/** Returns numbers with their noun: `1 step`, `16, 32 steps`. */
function several(numbers: string, noun: string): string {
  return `${numbers} ${numbers === "1" ? noun : `${noun}s`}`;
}
