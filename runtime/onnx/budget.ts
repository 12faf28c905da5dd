/**
 * Limits of the work that a file can ask for. A few kilobytes can describe constants of any size, functions that call
 * functions twice, and loops without an end, so all that reading and building a model does is counted here.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";

/** Limits and units by what is counted. */
const LIMITS = {
  messages: [1 << 21, "messages in the file"],
  nodes: [1 << 17, "nodes and calls, those of functions and loops as often as they run"],
  turns: [1 << 14, "turns of loops and recurrent layers"],
  depth: [100, "graphs and functions inside one another"],
  operations: [1 << 18, "operations of tensors"],
  elements: [1 << 25, "elements of constants"],
} as const;

type Counted = keyof typeof LIMITS;

/** Elements of computed constants that each byte of a file adds to the limit: large models have large constants. */
const ELEMENTS_PER_BYTE = 4;

/** Counts the work of reading or building one model. */
export class Budget {
  readonly #spent: Partial<Record<Counted, number>> = {};
  readonly #bytes: number;

  /** @param bytes size of the model's files */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Adds to a count; {@linkcode spend} describes the errors. */
  spend(what: Counted, count: number, place = ""): void {
    const [fixed, unit] = LIMITS[what];
    const limit = what === "elements" ? fixed + ELEMENTS_PER_BYTE * this.#bytes : fixed;
    const total = (this.#spent[what] ?? 0) + count;
    if (!(total <= limit)) {
      throw new InputError(`${place} needs ${total} ${unit}; expected at most ${limit} in the whole model`.trimStart());
    }
    this.#spent[what] = total;
  }
}

/** Budget of the model that is read or built now. Both happen in one go, without a wait. */
let current: Budget | null = null;

/** Runs an action whose work counts against a budget. */
export function within<T>(budget: Budget, action: () => T): T {
  const outer = current;
  current = budget;
  try {
    return action();
  } finally {
    current = outer;
  }
}

/**
 * Counts work before it is done.
 *
 * @param place the node or function that asks for it; the importer adds that of an operator
 * @throws {InputError} if it exceeds a limit, naming the work, its amount and the limit
 */
export function spend(what: Counted, count = 1, place = ""): void {
  (current ?? new Budget(0)).spend(what, count, place);
}

/** Runs an action one level deeper inside functions and graphs. */
export function deeper<T>(place: string, action: () => T): T {
  spend("depth", 1, place);
  try {
    return action();
  } finally {
    spend("depth", -1);
  }
}
