/// <reference lib="dom" />
/**
 * Elements built from text and nodes only, so that names of layers are never parsed as HTML.
 *
 * @module
 */

export type Child = Node | string | null;

/** Attributes by name; null and false omit one, true sets it without a value. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

const SVG = "http://www.w3.org/2000/svg";

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Returns a button with a click handler. */
export function button(label: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", onClick);
  return made;
}

/** Returns a colour sample for a legend; `color` is the name of a CSS variable. */
export function swatch(color: string, kind: "area" | "line" | "dot" = "area"): HTMLElement {
  const patch = el("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
  patch.style.setProperty("--color", `var(${color})`);
  return patch;
}

/** Returns a share as text over a bar of its length. */
export function shareBar(share: number | null, text: string): HTMLElement {
  const bar = el("span", { class: "share" }, text);
  bar.style.setProperty("--share", String(Math.max(0, Math.min(1, share ?? 0))));
  return bar;
}
