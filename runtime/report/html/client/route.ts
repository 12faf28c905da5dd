/// <reference lib="dom" />
/**
 * Places in the report, addressed by the URL's fragment: `#/queues`, or `#/of/workers/queues` for a variant's.
 *
 * @module
 */

export interface Place {
  /** Name of a variant; null for sections of all variants. */
  readonly variant: string | null;
  /** `queues`, `op:conv1`, ... */
  readonly anchor: string;
}

export function hrefOf({ variant, anchor }: Place): string {
  const parts = variant === null ? [anchor] : ["of", variant, anchor];
  return `#/${parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/")}`;
}

/** Parses a fragment; null where it names no place. */
export function placeOf(hash: string): Place | null {
  if (!hash.startsWith("#/")) return null;
  try {
    const parts = hash.slice(2).split("/").map(decodeURIComponent);
    if (parts[0] === "of" && parts.length === 3) return { variant: parts[1]!, anchor: parts[2]! };
    return parts.length === 1 ? { variant: null, anchor: parts[0]! } : null;
  } catch {
    return null;
  }
}

/** Named elements of one kind, such as the rows of ops. */
export interface Family {
  readonly has: (member: string) => boolean;
  /** Returns the element, added to the page if necessary; null where the name is unknown. */
  readonly find: (member: string) => HTMLElement | null;
}

/** Finds elements by anchor: single ones, and members of families such as `op:conv1`. */
export class Anchors {
  readonly #places = new Map<string, HTMLElement>();
  readonly #families = new Map<string, Family>();

  set(anchor: string, element: HTMLElement): void {
    this.#places.set(anchor, element);
  }

  setFamily(name: string, family: Family): void {
    this.#families.set(name, family);
  }

  has(anchor: string): boolean {
    const [family, member] = this.#split(anchor);
    return this.#places.has(anchor) || (family?.has(member) ?? false);
  }

  find(anchor: string): HTMLElement | null {
    const [family, member] = this.#split(anchor);
    return this.#places.get(anchor) ?? family?.find(member) ?? null;
  }

  #split(anchor: string): [family: Family | undefined, member: string] {
    const colon = anchor.indexOf(":");
    return colon < 0 ? [undefined, ""] : [this.#families.get(anchor.slice(0, colon)), anchor.slice(colon + 1)];
  }
}

/** Scrolls to an element, focuses it and highlights it briefly. */
export function visit(element: HTMLElement): void {
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.scrollIntoView({ block: element.tagName === "TR" ? "center" : "start" });
  element.focus({ preventScroll: true });
  element.classList.add("visited");
  setTimeout(() => element.classList.remove("visited"), 1600);
}
