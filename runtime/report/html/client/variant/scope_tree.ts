import type { OpRecord } from "../../../../result/schema.ts";

/** A scope of the model, or an op at the end of one. */
export interface ScopeNode {
  /** Last part of the path. */
  readonly name: string;
  readonly path: string;
  /** Device time of a step: ms. */
  time: number;
  readonly children: ScopeNode[];
  /** The op, where it is one. */
  readonly op: OpRecord | null;
}

/** Deeper scopes are counted to the one at this depth. */
const DEEPEST = 8;

/** The scopes that ops lie in, each with the time of what is under it, and the ops as leaves. */
export function scopeTree(ops: readonly OpRecord[]): ScopeNode {
  const root: ScopeNode = { name: "step", path: "", time: 0, children: [], op: null };
  const scopes = new Map<string, ScopeNode>();
  for (const op of ops) {
    if (op.mean === null) continue;
    let scope = root;
    scope.time += op.mean;
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
      child.time += op.mean;
      scope = child;
    }
    scope.children.push({ name: leafName(op), path: op.id, time: op.mean, children: [], op });
  }
  return root;
}

/** What a gradient is called in its layer; the op of the layer itself goes by its type. */
function leafName({ name, type }: OpRecord): string {
  const slash = name.lastIndexOf("/");
  return slash < 0 ? type : name.slice(slash + 1);
}

/** `layer1.0.conv1` -> `layer1`, `layer1.0`, `layer1.0.conv1`. */
function prefixes(layer: string): string[] {
  if (layer === "") return [];
  const parts = layer.split(".");
  const levels = Math.min(parts.length, DEEPEST);
  return Array.from({ length: levels }, (_, i) => i === levels - 1 ? layer : parts.slice(0, i + 1).join("."));
}
