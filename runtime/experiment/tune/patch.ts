/**
 * Settings as a patch to the script that they were found for.
 *
 * @module
 */
import { parse } from "@babel/parser";
import type { CallExpression, Node, ObjectExpression, ObjectProperty } from "@babel/types";
import { createTwoFilesPatch } from "diff";
import type { Change } from "../../result/schema.ts";

/**
 * The changes as a unified diff of the script. They go into the variant's own record where the script writes one, else
 * into the scenario's.
 *
 * @param source the script as it is
 * @param file its path, as the diff is to name it
 * @returns null where a change has no place in the text: a variant that is composed, or a value that is computed
 */
export function patchScript(source: string, file: string, variant: string, changes: readonly Change[]): string | null {
  const changed = changeScript(source, variant, changes);
  if (changed === null || changed === source) return null;
  return createTwoFilesPatch(`a/${file}`, `b/${file}`, source, changed, "", "", { context: 3 })
    .replace(/^=+\n/, "");
}

/** The script with the changes made; null where one has no place. */
export function changeScript(source: string, variant: string, changes: readonly Change[]): string | null {
  let text: string | null = source;
  for (const { path, to } of changes) {
    if (text === null) return null;
    const target = targetOf(text, variant);
    text = target === null ? null : set(text, target, path.split("."), to);
  }
  return text;
}

/** The record that settings of a variant are to stand in. */
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

/** The call of `scenario({ ... })`. */
function scenarioCall(source: string): CallExpression | null {
  let program: Node;
  try {
    program = parse(source, { sourceType: "module", plugins: ["typescript"] }).program;
  } catch {
    return null; // the script ran, so its syntax is newer than the parser's
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
 * A record as it is written: that of a factory's options for `cifar10({ ... })`, whose keys are the settings', and what a
 * function of the parameters returns.
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

/** `source` with the value at `path` inside of `record` set. */
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

/** Adds a property behind the others, in the record's own style. */
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

/** Plain data as it is written in a script. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${literal(item)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
