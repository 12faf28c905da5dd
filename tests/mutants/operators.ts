/**
 * Operators that make small faults in TypeScript and in the WGSL of template literals. Each returns the edits that it can make
 * at a node of the syntax tree.
 *
 * @module
 */
import { parse } from "@babel/parser";

/** Replacement of a range of a file's text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Fault that an operator can make. */
export interface Candidate extends Edit {
  readonly operator: string;
  /** Line of the edit, from 1. */
  readonly line: number;
}

/** Node of Babel's syntax tree, as far as the operators read it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

type Operator = (node: Node, source: string) => readonly Edit[];

const NUMERIC_UNITS = new Set([60, 1000, 1024, 1e-3, 1e6, 1e-6, 1e9, 1e-9]);

/** Methods that give up something, so that leaving the call out leaks it or lets it be read too early. */
const RELEASES = /^(unmap|destroy|close|release|dispose|terminate|removeEventListener|unref|clear)$/;

/** Expressions of WGSL that are faults when exchanged, by operator. */
const WGSL: Readonly<Record<string, readonly (readonly [from: RegExp, to: string])[]>> = {
  "wgsl sign": [[/ \+ (?=[a-z\d(])/g, " - "], [/ - (?=[a-z\d(])/g, " + "], [/ \+= /g, " -= "]],
  "wgsl bound": [[/ < (?=[a-z\d(])/g, " <= "], [/ >= (?=[a-z\d(])/g, " > "]],
  "wgsl off by one": [[/ \+ 1u\b/g, " + 2u"], [/ = 0u;/g, " = 1u;"]],
  "wgsl wrong stride": [[/ \* (?=[a-z_]+(\.[a-z_]+)? \+)/g, " + "]],
};

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

function text(node: Node, source: string): string {
  return source.slice(node.start, node.end);
}

/** Returns true for what is certainly a text, whose `+` joins. */
function isText(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === "StringLiteral" || node.type === "TemplateLiteral") return true;
  return node.type === "BinaryExpression" && (isText(node["left"]) || isText(node["right"]));
}

/** Returns the edit that replaces the operator of a binary expression. */
function exchanged(node: Node, source: string, to: Readonly<Record<string, string>>): Edit[] {
  const [left, right, operator] = [node["left"] as Node, node["right"] as Node, node["operator"] as string];
  const replacement = to[operator];
  if (replacement === undefined || isText(left) || isText(right)) return [];
  const start = source.indexOf(operator, left.end);
  return [{ start, end: start + operator.length, text: replacement }];
}

/** Operators of TypeScript by name. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  sign(node, source) {
    if (node.type === "BinaryExpression") return exchanged(node, source, { "+": "-", "-": "+" });
    if (node.type !== "UnaryExpression" || node["operator"] !== "-") return [];
    return [{ start: node.start, end: node.start + 1, text: "" }];
  },
  bound: (node, source) =>
    node.type === "BinaryExpression" ? exchanged(node, source, { "<": "<=", "<=": "<", ">": ">=", ">=": ">" }) : [],
  "off by one"(node) {
    if (node.type !== "BinaryExpression" && node.type !== "CallExpression") return [];
    const parts = node.type === "CallExpression"
      ? node["arguments"] as Node[]
      : [node["left"], node["right"]] as Node[];
    return parts.flatMap((part) =>
      part.type === "NumericLiteral" && Number.isInteger(part["value"]) && (part["value"] as number) < 100
        ? [{ start: part.start, end: part.end, text: String(part["value"] as number + 1) }]
        : []
    );
  },
  "swapped argument"(node, source) {
    if (node.type !== "CallExpression") return [];
    const [first, second] = (node["arguments"] as Node[]).map((argument) => text(argument, source));
    const names = node["arguments"] as Node[];
    if (names.length < 2 || first === second) return [];
    if (!names.slice(0, 2).every(({ type }) => type === "Identifier" || type === "MemberExpression")) return [];
    return [{ start: names[0]!.start, end: names[1]!.end, text: `${second}, ${first}` }];
  },
  "missing await": (node, source) =>
    node.type === "AwaitExpression"
      ? [{ start: node.start, end: node.end, text: text(node["argument"] as Node, source) }]
      : [],
  "missing release"(node) {
    const call = node.type === "ExpressionStatement" ? node["expression"] as Node : null;
    const callee = call?.type === "CallExpression" ? call["callee"] as Node : null;
    if (callee?.type !== "MemberExpression" || !RELEASES.test((callee["property"] as Node)["name"] as string)) {
      return [];
    }
    return [{ start: node.start, end: node.end, text: ";" }];
  },
  "wrong unit"(node, source) {
    if (node.type !== "BinaryExpression" || !["*", "/"].includes(node["operator"] as string)) return [];
    const factor = node["right"] as Node;
    if (factor.type !== "NumericLiteral" || !NUMERIC_UNITS.has(factor["value"] as number)) return [];
    return [{ start: node.start, end: node.end, text: text(node["left"] as Node, source) }];
  },
  "unchecked path"(node) {
    if (node.type !== "IfStatement" || node["alternate"]) return [];
    const body = node["consequent"] as Node;
    const only = body.type === "BlockStatement" ? (body["body"] as Node[])[0] : body;
    if (only?.type !== "ThrowStatement" && only?.type !== "ReturnStatement") return [];
    return [{ start: node.start, end: node.end, text: ";" }];
  },
  "wrong stride"(node, source) {
    if (node.type !== "BinaryExpression" || node["operator"] !== "+") return [];
    const [product, offset] = [node["left"] as Node, node["right"] as Node];
    if (product.type !== "BinaryExpression" || product["operator"] !== "*" || offset.type !== "Identifier") return [];
    const [left, right] = [product["left"] as Node, product["right"] as Node];
    return [{
      start: node.start,
      end: node.end,
      text: `${text(offset, source)} * ${text(right, source)} + ${text(left, source)}`,
    }];
  },
  "dropped case"(node, source) {
    if (node.type === "SwitchCase" && node["test"]) return [{ start: node.start, end: node.end, text: "" }];
    if (node.type === "ConditionalExpression") {
      return [{ start: node.start, end: node.end, text: text(node["alternate"] as Node, source) }];
    }
    if (node.type !== "LogicalExpression" || node["operator"] === "??") return [];
    return [{ start: node.start, end: node.end, text: text(node["left"] as Node, source) }];
  },
};

/** Names of all operators. */
export const OPERATOR_NAMES: readonly string[] = [...Object.keys(OPERATORS), ...Object.keys(WGSL)];

/** Returns the faults that can be made in a file, by position. */
export function candidatesOf(source: string): Candidate[] {
  const { program } = parse(source, {
    sourceType: "module",
    plugins: ["typescript", "deferredImportEvaluation"],
  }) as unknown as { program: Node };
  const found: Candidate[] = [];
  const lines = lineStarts(source);
  const add = (operator: string, edits: readonly Edit[]) => {
    for (const edit of edits) {
      if (source.slice(edit.start, edit.end) !== edit.text) {
        found.push({ operator, line: lineOf(lines, edit.start), ...edit });
      }
    }
  };
  visit(program, (node) => {
    for (const [name, operator] of Object.entries(OPERATORS)) add(name, operator(node, source));
    if (node.type === "TemplateElement") {
      for (const name of Object.keys(WGSL)) add(name, editsOfWgsl(name, node, source));
    }
  });
  return found.sort((a, b) => a.start - b.start || a.operator.localeCompare(b.operator));
}

/** Applies an edit. */
export function edited(source: string, { start, end, text }: Edit): string {
  return source.slice(0, start) + text + source.slice(end);
}

function editsOfWgsl(name: string, node: Node, source: string): Edit[] {
  const wgsl = text(node, source);
  if (!/[;{]\s*$/m.test(wgsl) || !/\b(let|var|fn|for|if|return|struct)\b/.test(wgsl)) return [];
  return WGSL[name]!.flatMap(([from, to]) =>
    [...wgsl.matchAll(from)].map(({ 0: all, index }) => {
      return { start: node.start + index, end: node.start + index + all.length, text: to };
    })
  );
}

/** Calls `use` for each node that runs; types are left out. */
function visit(node: Node, use: (node: Node) => void): void {
  if (node.type.startsWith("TS") && !/Expression$/.test(node.type)) return;
  if (/^(Import|Export(All|Named))/.test(node.type) && node["source"]) return;
  use(node);
  for (const [key, value] of Object.entries(node)) {
    if (key === "loc" || key === "typeAnnotation" || key === "typeParameters" || key === "returnType") continue;
    if (isNode(value)) visit(value, use);
    else if (Array.isArray(value)) { for (const one of value) if (isNode(one)) visit(one, use); }
  }
}

function lineStarts(source: string): number[] {
  return [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

function lineOf(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= position) low = middle;
    else high = middle;
  }
  return low + 1;
}
