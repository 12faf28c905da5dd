/**
 * Patches that apply changes of settings to a script.
 *
 * @module
 */
import { parse } from "@babel/parser";
import type { CallExpression, Node, ObjectExpression, ObjectProperty } from "@babel/types";
import { createTwoFilesPatch } from "diff";
import type { Change } from "../../result/schema.ts";

/**
 * Returns changes as a unified diff of the script. They go into the variant's object literal if the script has one, else
 * into the scenario's.
 *
 * @param source text of the script
 * @param file path of the script in the diff
 * @returns null if a change cannot be written into the text, as in a composed variant or a computed value
 */
export function patchScript(source: string, file: string, variant: string, changes: readonly Change[]): string | null {
  const changed = changeScript(source, variant, changes);
  if (changed === null || changed === source) return null;
  return createTwoFilesPatch(`a/${file}`, `b/${file}`, source, changed, "", "", { context: 3 })
    .replace(/^=+\n/, "");
}

/** Returns the script with the changes applied, or null if one cannot be written into it. */
export function changeScript(source: string, variant: string, changes: readonly Change[]): string | null {
  let text: string | null = source;
  for (const { path, to } of changes) {
    if (text === null) return null;
    const target = targetOf(text, variant);
    text = target === null ? null : set(text, target, path.split("."), to);
  }
  return text;
}

/**
 * Returns the line of a variant in the text of a script, from 1: that of its name in `variants`, else of `variants`, else of
 * the call of `scenario()`, else 1.
 */
export function lineOfVariant(source: string, variant: string): number {
  const call = scenarioCall(source);
  const definition = call === null ? null : asRecord(call.arguments[0]);
  const variants = definition === null ? null : propertyOf(definition, "variants");
  const all = variants === null ? null : asRecord(variants.value);
  const own = all === null ? null : propertyOf(all, variant);
  return (own ?? variants ?? call)?.loc?.start.line ?? 1;
}

/** Returns the object literal for the settings of a variant. */
function targetOf(source: string, variant: string): ObjectExpression | null {
  const call = scenarioCall(source);
  const definition = call === null ? null : asRecord(call.arguments[0]);
  if (definition === null) return null;
  const variants = propertyOf(definition, "variants");
  if (variants === null) return definition;
  const all = asRecord(variants.value);
  const own = all === null ? null : propertyOf(all, variant);
  return own === null ? null : asRecord(own.value);
}

/** Returns the only call of `scenario({ ... })`. */
function scenarioCall(source: string): CallExpression | null {
  let program: Node;
  try {
    program = parse(source, { sourceType: "module", plugins: ["typescript"] }).program;
  } catch {
    return null; // the script has run, so the parser does not know its syntax yet
  }
  const calls = [...nodesOf(program)].filter((node): node is CallExpression =>
    node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "scenario"
  );
  return calls.length === 1 ? calls[0]! : null;
}

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of Object.values(node)) {
    for (const one of Array.isArray(child) ? child : [child]) {
      if (typeof one === "object" && one !== null && typeof (one as Node).type === "string") {
        yield* nodesOf(one as Node);
      }
    }
  }
}

/**
 * Returns the object literal of an expression: the options of a factory such as `cifar10({ ... })`, whose keys are
 * settings, or the return value of a function of the parameters.
 */
function asRecord(node: Node | null | undefined): ObjectExpression | null {
  switch (node?.type) {
    case "ObjectExpression":
      return node;
    case "CallExpression":
      return node.arguments.length === 1 && node.arguments[0]?.type === "ObjectExpression" ? node.arguments[0] : null;
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "ParenthesizedExpression":
      return asRecord(node.expression);
    case "ArrowFunctionExpression":
      return asRecord(node.body);
    default:
      return null;
  }
}

function propertyOf(record: ObjectExpression, name: string): ObjectProperty | null {
  for (const property of record.properties) {
    if (property.type !== "ObjectProperty" || property.computed) continue;
    const { key } = property;
    if (key.type === "Identifier" ? key.name === name : key.type === "StringLiteral" && key.value === name) {
      return property;
    }
  }
  return null;
}

/** Returns `source` with the value at `path` in `record` set, or null if that is impossible. */
function set(source: string, record: ObjectExpression, path: readonly string[], value: unknown): string | null {
  const [name, ...rest] = path;
  const property = propertyOf(record, name!);
  if (property === null) return insert(source, record, `${keyText(name!)}: ${literal(nest(rest, value))}`);
  const inner = asRecord(property.value);
  if (rest.length > 0 && inner !== null) return set(source, inner, rest, value);
  const simple = /Literal$/.test(property.value.type) && property.value.type !== "TemplateLiteral";
  if (rest.length > 0 && !simple) return null;
  const { start, end } = property.value;
  const text = literal(nest(rest, value));
  return property.shorthand
    ? source.slice(0, property.start!) + `${keyText(name!)}: ${text}` + source.slice(property.end!)
    : source.slice(0, start!) + text + source.slice(end!);
}

/** Appends a property in the style of the object literal. */
function insert(source: string, record: ObjectExpression, property: string): string {
  const [start, end] = [record.start!, record.end!];
  const last = record.properties.at(-1);
  if (last === undefined) return `${source.slice(0, start)}{ ${property} }${source.slice(end)}`;
  const behind = source.slice(last.end!, end - 1);
  const comma = behind.includes(",") ? last.end! + behind.indexOf(",") + 1 : last.end!;
  if (!source.slice(start, end).includes("\n")) {
    return `${source.slice(0, last.end!)}, ${property}${source.slice(last.end!)}`;
  }
  const line = source.slice(source.lastIndexOf("\n", last.start!) + 1, last.start!);
  const indent = line.match(/^\s*/)![0];
  return `${source.slice(0, last.end!)},\n${indent}${property},${source.slice(comma)}`;
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

/** Formats plain data as source text. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${literal(item)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
