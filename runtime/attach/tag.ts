/** Returns any object from a constructor, so that a derived class can add private fields to it. */
class Holder {
  constructor(target: object) {
    return target;
  }
}

/**
 * Creates a private slot for values on objects that are not ours. The program cannot see it, and reading it is several
 * times as fast as a `WeakMap`.
 */
export function createTag<T>(): Tag<T> {
  class Slot extends Holder {
    #value: T;

    constructor(target: object, value: T) {
      super(target);
      this.#value = value;
    }

    static get(target: object): T | undefined {
      return #value in target ? (target as Slot).#value : undefined;
    }

    static set(target: object, value: T): void {
      if (#value in target) (target as Slot).#value = value;
      else new Slot(target, value);
    }
  }
  return Slot;
}

/** A private slot on objects. */
export interface Tag<T> {
  get(target: object): T | undefined;
  set(target: object, value: T): void;
}
