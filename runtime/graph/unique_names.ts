/** Names that occur once: a number is appended to one that is taken. */
export class UniqueNames {
  readonly #separator: string;
  readonly #taken = new Set<string>();
  /** Numbers from which on a name may be free, by the name without a number. */
  readonly #next = new Map<string, number>();

  /** @param separator text between a name and its number */
  constructor(separator: string) {
    this.#separator = separator;
  }

  /** Returns a name that is free, and takes it. */
  claim(path: string): string {
    let name = path;
    let i = this.#next.get(path) ?? 1;
    for (; this.#taken.has(name); i++) name = `${path}${this.#separator}${i}`;
    this.#next.set(path, i);
    this.#taken.add(name);
    return name;
  }
}
