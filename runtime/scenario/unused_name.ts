/** `name`, or the first of `name-2`, `name-3`, ... that is not taken. */
export function unusedName(name: string, taken: { has(name: string): boolean }): string {
  if (!taken.has(name)) return name;
  for (let i = 2;; i++) if (!taken.has(`${name}-${i}`)) return `${name}-${i}`;
}
