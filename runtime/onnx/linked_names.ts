/** Values by name in a graph or a function. A graph inside of a node also sees the names around it, which are not copied. */
export class LinkedNames<V> {
  readonly #own: Map<string, V>;
  readonly #around: LinkedNames<V> | null;

  /**
   * @param around names around the graph; null for a model or a function
   * @param own names of its own
   */
  constructor(around: LinkedNames<V> | null, own: Map<string, V> = new Map()) {
    this.#around = around;
    this.#own = own;
  }

  /** Returns the innermost value of a name; undefined if there is none. */
  get(name: string): V | undefined {
    const own = this.#own.get(name);
    return own === undefined ? this.#around?.get(name) : own;
  }

  set(name: string, value: V): void {
    this.#own.set(name, value);
  }
}
