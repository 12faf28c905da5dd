import assert from "node:assert/strict";
import { OPS } from "../../ops/ops.ts";
import { ALL_OPS } from "../../runtime/nn/all_ops.ts";
import type { OpDef } from "../../runtime/graph/op.ts";

const FOLDER = new URL("../../ops/", import.meta.url);

function isOp(value: unknown): value is OpDef<never> {
  return typeof value === "object" && value !== null && "type" in value && "shape" in value && "candidates" in value;
}

async function exportedOps(): Promise<OpDef<never>[]> {
  const files = [...Deno.readDirSync(FOLDER)].filter(({ name }) => name.endsWith(".ts"));
  const modules = await Promise.all(files.map(({ name }) => import(new URL(name, FOLDER).href)));
  return modules.flatMap((module: object) => Object.values(module).filter(isOp));
}

Deno.test("every op has a unique type", () => {
  const types = ALL_OPS.map(({ type }) => type);
  assert.deepEqual([...new Set(types)], types);
});

Deno.test("every exported op is listed, or has the type and the facts of a listed op", async () => {
  const exported = await exportedOps();
  assert(exported.length >= 30, String(exported.length));
  for (const op of exported) {
    const listed = OPS.find(({ type }) => type === op.type);
    assert(listed !== undefined, `${op.type} is missing in OPS; add it to ops/ops.ts`);
    const facts = ({ precision, roles, aliases }: OpDef<never>) => ({ precision, roles, aliases });
    assert.deepEqual(facts(op), facts(listed));
  }
});
