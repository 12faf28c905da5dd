/** Formats a time: `12.3 ms`. */
export function ms(value: number): string {
  return `${digits(value)} ms`;
}

/** Formats a fraction: `12 %`. */
export function percent(share: number): string {
  return `${digits(share * 100)} %`;
}

/** Formats a number with three significant digits, or two decimals if it is small. */
export function digits(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
