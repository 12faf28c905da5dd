/** Returns milliseconds, or microseconds where all times are below 1 ms, and the factor from milliseconds. */
export function timeUnit(times: readonly (number | null)[]): [unit: string, scale: number] {
  const longest = times.reduce<number>((most, time) => Math.max(most, Math.abs(time ?? 0)), 0);
  return longest > 0 && longest < 1 ? ["us", 1000] : ["ms", 1];
}
