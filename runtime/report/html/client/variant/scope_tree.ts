import type { OpRecord } from "../../../../result/schema.ts";

/** Scope of the model, or an op as its leaf. */
export interface ScopeNode {
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
