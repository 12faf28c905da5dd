/** Formats a Markdown table with aligned columns; all columns but the first are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)).join(" | ")} |`;
  const rule = `| ${widths.map((width, i) => i === 0 ? "-".repeat(width) : "-".repeat(width - 1) + ":").join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** Formats a fraction as a percentage. */
export function percent(part: number): string {
  return (part * 100).toFixed(1);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Formats fractions as mean and range in percent: `94.9 (93.1 to 96.2)`. */
export function ranged(parts: readonly number[]): string {
  return `${percent(mean(parts))} (${percent(Math.min(...parts))} to ${percent(Math.max(...parts))})`;
}
