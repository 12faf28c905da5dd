import type { Paint } from "./color.ts";
import { differences, formatDifferences } from "./differences.ts";
import { nameInProse } from "./plain_text.ts";
import { wrap } from "./wrap.ts";

/** Variant with its configuration as plain data. */
export interface NamedConfig {
  name: string;
  config: Readonly<Record<string, unknown>>;
}

/** Renders one entry for each variant: its name and its differences from the baseline. */
export function renderVariants(
  variants: readonly NamedConfig[],
  baseline: string,
  { width, paint }: { width: number; paint: Paint },
): string[] {
  const reference = variants.find(({ name }) => name === baseline);
  const indent = Math.min(24, Math.max(...variants.map(({ name }) => nameInProse(name).length)) + 2);
  return variants.flatMap(({ name: own, config }) => {
    const name = nameInProse(own);
    const list = reference === undefined ? [] : differences(config, reference.config);
    const words = own === baseline ? "the baseline" : formatDifferences(list) || `the same as ${nameInProse(baseline)}`;
    const [first = "", ...rest] = wrap(name.padEnd(indent - 1) + " " + words, width, indent);
    return [first.replace(name, () => paint(name, "heading")), ...rest];
  });
}
