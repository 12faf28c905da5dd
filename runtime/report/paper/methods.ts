import type { Result, VariantResult } from "../../result/schema.ts";
import { formatPercent } from "../format.ts";
import { latexNumber, latexText } from "./latex.ts";
import { percent } from "./tables.ts";

/** Returns a paragraph on how the variants were measured, with versions and references to the bibliography. */
export function methodsParagraph(result: Result): string {
  const { variants, baseline, procedure } = result;
  const sentences = [
    `We compared ${variants.length} variants of the training \\emph{${latexText(result.scenario.name)}} with ` +
    `Tacho~${latexText(result.environment.tacho)}~\\cite{tacho}: ${list(variants.map(({ name }) => latexText(name)))}.`,
    machine(result),
    ...procedure === null ? [] : [schedule(result, procedure), ...control(result, procedure)],
    ...statistics(variants, baseline),
    `Random numbers were drawn from seed ${result.scenario.seed}.`,
    ...source(result),
  ];
  return `${sentences.join("\n")}\n`;
}

function machine({ environment }: Result): string {
  const { adapter, cpu, cores, os, deno, v8 } = environment;
  const kind = adapter?.fallback === true ? "the software adapter" : "the adapter";
  const details = [adapter?.backend, adapter?.driver && `driver ${adapter.driver}`].filter((part) => part != null);
  const on = adapter === null
    ? "No device was used."
    : `It ran on ${kind} ${latexText(adapter.name ?? "of unknown name")}` +
      `${details.length === 0 ? "" : ` (${latexText(details.join(", "))})`}.`;
  const host = [
    cpu,
    cores === null ? null : `${cores} cores`,
    os,
    `Deno ${deno}`,
    `V8 ${v8}`,
  ].filter((part) => part !== null);
  return `${on} Host: ${latexText(host.join(", "))}.`;
}

function schedule({ variants }: Result, procedure: NonNullable<Result["procedure"]>): string {
  const { rounds, stoppedBy, setups, precision } = procedure;
  const steps = [...new Set(variants.flatMap(({ blocks }) => blocks.map(({ steps }) => steps.length)))];
  const block = steps.length === 1 && steps[0]! > 0 ? `${steps[0]} consecutive steps` : "consecutive steps";
  const end = stoppedBy === "precision" && precision !== null
    ? `, until every interval was within $\\pm$${percent(precision)}`
    : stoppedBy === "time"
    ? ", until a limit of time"
    : "";
  const setUp = setups.count === 1
    ? "Each variant was set up once."
    : setups.processes
    ? `Each variant ran in ${setups.count} fresh processes, one after the other.`
    : `All were set up again ${setups.count - 1} times.`;
  return `After a warm-up, blocks of ${block} were interleaved in ${rounds} rounds, one block of each variant in each, ` +
    `in a random order${end}. ${setUp}`;
}

function control({ baseline, noiseFloor }: Result, { secondArm }: NonNullable<Result["procedure"]>): string[] {
  if (secondArm === null) return [];
  const floor = noiseFloor === null
    ? ""
    : `; they differ by \\qty{${formatPercent(noiseFloor)}}{\\percent} beyond the noise of their blocks`;
  return [`A second copy of ${latexText(baseline)} ran as a control${floor}.`];
}

function statistics(variants: readonly VariantResult[], baseline: string): string[] {
  const judged = variants.flatMap(({ comparison }) => comparison ?? []);
  const [first] = judged;
  if (first === undefined) return [];
  const methods = [...new Set(judged.map(({ method }) => method))];
  const isStudent = methods.some((method) => method.includes("Student"));
  const isPermuted = methods.some((method) => method.includes("sign-flip"));
  const band = Math.max(...judged.map(({ band }) => band));
  return [
    `Speed-ups are ratios to the block of ${latexText(baseline)} in the same round` +
    `${isPermuted ? ", averaged as winsorised means~\\cite{tukey1963} of their logarithms" : ""}.`,
    `Their ${percent(first.level)} confidence intervals are by ${list(methods.map(latexText))}` +
    `${isStudent ? "~\\cite{student1908}" : ""}.`,
    ...isPermuted ? ["$p$ comes from a paired sign-flip test~\\cite{fisher1935}."] : [],
    judged.length === 1
      ? "One variant was compared."
      : `$p$ is corrected for ${judged.length} comparisons by Holm's method~\\cite{holm1979}.`,
    `A variant is called faster or slower where its interval lies outside $\\pm$\\qty{${
      formatPercent(band)
    }}{\\percent} ` +
    `around a ratio of ${latexNumber(1, 0)} and $p < 0.05$.`,
    ...outliers(variants),
  ];
}

function outliers(variants: readonly VariantResult[]): string[] {
  const known = variants.flatMap(({ outliers }) => outliers ?? []);
  if (known.length === 0) return [];
  const total = (count: (outliers: (typeof known)[number]) => number) => known.map(count).reduce((a, b) => a + b, 0);
  const beyond = total(({ mild, severe }) => mild + severe);
  const blocks = total(({ blocks }) => blocks);
  return [`No block was left out; ${beyond} of ${blocks} lie beyond Tukey's fences~\\cite{tukey1977}.`];
}

function source({ scenario, environment }: Result): string[] {
  const facts = [
    scenario.sha256 === null ? null : `the script has the SHA-256 \\texttt{${scenario.sha256.slice(0, 16)}}\\dots{}`,
    environment.git === null ? null : `the commit is \\texttt{${latexText(environment.git)}}`,
  ].filter((fact) => fact !== null);
  const archive = "The archive beside this text has every block.";
  return facts.length === 0 ? [archive] : [`${archive} There, ${facts.join(" and ")}.`];
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
