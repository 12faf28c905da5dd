/**
 * Minimal document for the client to build its tables in, so that tests read their cells without a browser.
 *
 * @module
 */

/** An element that only stores its attributes and children. */
export class StandIn {
  readonly tagName: string;
  readonly attributes = new Map<string, string>();
  readonly style: Record<string, unknown> = { setProperty: () => {} };
  readonly classList = { add: () => {}, remove: () => {}, toggle: () => {} };
  children: (StandIn | string)[] = [];
  hidden = false;
  value = "";
  tabIndex = 0;

  constructor(tagName: string) {
    this.tagName = tagName.toLowerCase();
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  addEventListener(): void {}

  append(...children: (StandIn | string)[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: (StandIn | string)[]): void {
    this.children = children;
  }

  set textContent(text: string) {
    this.children = [text];
  }

  /** Text without drawings and without content hidden from screen readers. */
  get textContent(): string {
    if (this.tagName === "svg" || this.attributes.get("aria-hidden") === "true") return "";
    return this.children.map((child) => typeof child === "string" ? child : child.textContent).join("");
  }

  /** Elements of a kind, in the order of the document. */
  all(tagName: string): StandIn[] {
    return this.children.flatMap((child) =>
      typeof child === "string" ? [] : [...child.tagName === tagName ? [child] : [], ...child.all(tagName)]
    );
  }
}

/** Runs `build` with a document that makes elements of this kind. */
export function withDocument<T>(build: () => T): T {
  const document = {
    createElement: (tag: string) => new StandIn(tag),
    createElementNS: (_: string, tag: string) => new StandIn(tag),
  };
  class ResizeObserver {
    observe(): void {}
  }
  Object.assign(globalThis, { document, ResizeObserver });
  try {
    return build();
  } finally {
    for (const name of ["document", "ResizeObserver"]) Reflect.deleteProperty(globalThis, name);
  }
}

/** The element that the client made of these. */
export function standIn(element: unknown): StandIn {
  if (element instanceof StandIn) return element;
  throw new TypeError("Expected an element of the stand-in");
}
