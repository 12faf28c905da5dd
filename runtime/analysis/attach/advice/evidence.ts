export { ms } from "../../advice/evidence.ts";

/** Formats a mean count: `12`, `1,234`, `1.50`. */
export function count(value: number): string {
  return Number.isInteger(value) || value >= 100
    ? Math.round(value).toLocaleString("en-US")
    : value.toFixed(value < 10 ? 2 : 1);
}

/** Formats a mean count with its noun: `1 wait`, `1.50 waits`. */
export function counted(value: number, noun: string, nouns = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : nouns}`;
}

/** Formats a mean number of bytes: `256 B`, `1.5 KiB`. */
export function bytes(value: number): string {
  const unit = Math.min(3, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
  return `${Number((value / 1024 ** unit).toFixed(1))} ${["B", "KiB", "MiB", "GiB"][unit]}`;
}
