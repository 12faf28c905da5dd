/// <reference lib="dom" />
import { shownPhases } from "../../../../record/phases.ts";
import type { OpRecord } from "../../../../result/schema.ts";
import { el, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText, percentText } from "../numbers.ts";
import { phaseColor } from "../palette.ts";
import { hrefOf } from "../route.ts";

const ROW_HEIGHT = 21;

/** Smallest fraction of the width that is drawn, and that has room for a name. */
const MIN_WIDTH = 0.0004;
const MIN_NAMED = 0.02;

interface Frame {
  readonly node: ScopeNode;
  readonly depth: number;
  /** Fraction of the width, from 0 to 1. */
  readonly start: number;
  readonly width: number;
  readonly parent: Frame | null;
  readonly children: Frame[];
}

/**
 * Returns a flame graph of scopes by device time. A click or Enter zooms in, Escape zooms out; arrow keys move between
 * frames.
 */
export function flameGraph(ops: readonly OpRecord[], variant: string): HTMLElement {
  const root = layOut(scopeTree(ops), null, 0, 0, 1);
  const frames = flatten(root);
  const rows = 1 + frames.reduce((most, { depth }) => Math.max(most, depth), 0);
  const graph = el("div", { class: "flame", role: "tree", "aria-label": "Flame graph of scopes by device time" });
  graph.style.height = `${rows * ROW_HEIGHT}px`;
  const readout = el("p", { class: "readout", "aria-live": "polite" });
  const elements = new Map(frames.map((frame) => [frame, frameElement(frame, root)]));
  let zoomed = root;
  let current = root;
  const zoom = (frame: Frame) => {
    zoomed = frame;
    for (const [other, element] of elements) place(element, other, zoomed);
  };
  const describe = (frame: Frame) => readout.replaceChildren(...description(frame, root, variant));
  const focus = (frame: Frame | undefined) => {
    if (frame === undefined) return;
    elements.get(current)!.tabIndex = -1;
    current = frame;
    const element = elements.get(frame)!;
    if (element.hidden) zoom(frame.parent ?? root);
    element.tabIndex = 0;
    element.focus();
    describe(frame);
  };
  for (const [frame, element] of elements) {
    element.addEventListener("pointerenter", () => describe(frame));
    element.addEventListener("focus", () => describe(frame));
    element.addEventListener("click", () => {
      focus(frame);
      zoom(frame);
    });
  }
  graph.addEventListener("keydown", (event) => {
    const siblings = current.parent?.children ?? [current];
    const place = siblings.indexOf(current);
    const actions: Record<string, () => void> = {
      ArrowDown: () => focus(current.children[0]),
      ArrowUp: () => focus(current.parent ?? undefined),
      ArrowRight: () => focus(siblings[place + 1]),
      ArrowLeft: () => focus(siblings[place - 1]),
      Home: () => focus(root),
      Enter: () => zoom(current),
      " ": () => zoom(current),
      Escape: () => zoom(zoomed.parent ?? root),
    };
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  graph.append(...elements.values());
  elements.get(root)!.tabIndex = 0;
  zoom(root);
  describe(root);
  const legend = el(
    "div",
    { class: "legend" },
    ...shownPhases(ops.map((op) => op.phase)).map(({ name, label }) => el("span", {}, swatch(phaseColor(name)), label)),
    el("span", { class: "unit" }, "width: ms per step · click or Enter zooms in, Escape zooms out"),
  );
  return el("figure", { class: "chart", "data-points": frames.length }, legend, graph, readout);
}

function layOut(node: ScopeNode, parent: Frame | null, depth: number, start: number, width: number): Frame {
  const frame: Frame = { node, depth, start, width, parent, children: [] };
  let at = start;
  for (const child of node.children) {
    const part = node.time > 0 ? width * child.time / node.time : 0;
    frame.children.push(layOut(child, frame, depth + 1, at, part));
    at += part;
  }
  return frame;
}

function flatten(frame: Frame): Frame[] {
  return [frame, ...frame.children.flatMap(flatten)];
}

function frameElement({ node, depth }: Frame, root: Frame): HTMLElement {
  const words = `${nameText(node.path === "" ? node.name : node.path)}: ${numberText(node.time)} ms, ` +
    percentText(root.node.time > 0 ? node.time / root.node.time : 0);
  const element = el("div", {
    role: "treeitem",
    "aria-level": depth + 1,
    "aria-label": words,
    title: words,
    tabindex: -1,
    class: node.op === null ? "scope" : "op",
  }, nameText(node.name, 48));
  element.style.top = `${depth * ROW_HEIGHT}px`;
  if (node.op !== null) element.style.setProperty("--color", `var(${phaseColor(node.op.phase)})`);
  return element;
}

/** Positions a frame; ancestors of the zoomed frame take the whole width. */
function place(element: HTMLElement, frame: Frame, zoomed: Frame): void {
  const above = isWithin(zoomed, frame);
  const start = above ? 0 : (frame.start - zoomed.start) / zoomed.width;
  const width = above ? 1 : frame.width / zoomed.width;
  element.hidden = !(above || isWithin(frame, zoomed)) || !(width >= MIN_WIDTH);
  if (element.hidden) return;
  element.style.left = `${start * 100}%`;
  element.style.width = `${width * 100}%`;
  element.classList.toggle("unnamed", width < MIN_NAMED);
}

function isWithin(frame: Frame, outer: Frame): boolean {
  for (let at: Frame | null = frame; at !== null; at = at.parent) if (at === outer) return true;
  return false;
}

function description({ node }: Frame, root: Frame, variant: string): (Node | string)[] {
  const name = nameText(node.path === "" ? node.name : node.path);
  const figures = ` ${numberText(node.time)} ms per step, ${
    percentText(root.node.time > 0 ? node.time / root.node.time : 0)
  }`;
  if (node.op === null) return [el("strong", {}, name), figures];
  const link = el("a", { href: hrefOf({ variant, anchor: `op:${node.op.id}` }), tabindex: -1 }, name);
  return [el("strong", {}, link), `${figures} · ${node.op.phase} · ${nameText(node.op.type, 60)}`];
}

/** Scope of the model, or an op as its leaf. */
interface ScopeNode {
  /** Last part of the path. */
  readonly name: string;
  readonly path: string;
  /** Device time in ms per step. */
  time: number;
  readonly children: ScopeNode[];
  /** Op of a leaf; null for scopes. */
  readonly op: OpRecord | null;
}

/** Largest depth of scopes; deeper ones are merged into it. */
const DEEPEST = 8;

/** Returns the tree of scopes with their total time, and ops as leaves. */
export function scopeTree(ops: readonly OpRecord[]): ScopeNode {
  const root: ScopeNode = { name: "step", path: "", time: 0, children: [], op: null };
  const scopes = new Map<string, ScopeNode>();
  for (const op of ops) {
    if (op.median === null) continue;
    let scope = root;
    scope.time += op.median;
    for (const path of prefixes(op.layer)) {
      let child = scopes.get(path);
      if (child === undefined) {
        child = {
          name: path.slice(scope.path === "" ? 0 : scope.path.length + 1),
          path,
          time: 0,
          children: [],
          op: null,
        };
        scopes.set(path, child);
        scope.children.push(child);
      }
      child.time += op.median;
      scope = child;
    }
    scope.children.push({ name: leafName(op), path: op.id, time: op.median, children: [], op });
  }
  return root;
}

/** Returns a leaf's name: a gradient's name within its layer, or else the op's type. */
function leafName({ name, type }: OpRecord): string {
  const slash = name.lastIndexOf("/");
  return slash < 0 ? type : name.slice(slash + 1);
}

/** Returns all prefixes of a path: `layer1.0.conv1` -> `layer1`, `layer1.0`, `layer1.0.conv1`. */
function prefixes(layer: string): string[] {
  if (layer === "") return [];
  const parts = layer.split(".");
  const levels = Math.min(parts.length, DEEPEST);
  return Array.from({ length: levels }, (_, i) => i === levels - 1 ? layer : parts.slice(0, i + 1).join("."));
}
