import assert from "node:assert/strict";
import { linear, measure, sequential, sgd, tanh } from "../../../mod.ts";
import { groupOps } from "../../../runtime/analysis/op_groups.ts";
import { renderProfileCsv } from "../../../runtime/report/profile/csv.ts";
import { opsTable } from "../../../runtime/report/profile/ops.ts";
import { phasesTable } from "../../../runtime/report/profile/phases.ts";
import { small } from "../../trainer/models.ts";

const block = (width: number) => sequential({ fc: linear(width), act: tanh(), out: linear(width) });

Deno.test("recomputed activations count as backward and are shown apart", async () => {
  const result = await measure({
    ...small({
      model: sequential({ a: block(6), b: block(3) }),
      optimizer: sgd({ learningRate: 0.1 }),
      compile: { fusion: false },
      recompute: ["a", "b"],
    }),
    measure: { steps: 1, skip: 0, maxSkip: 0, rounds: 1, aa: false },
    profile: { active: 2 },
  });
  const [variant] = result.variants;
  const again = variant!.ops.filter(({ recomputed }) => recomputed === true);
  assert.deepEqual(again.map(({ id, phase }) => [id, phase]), [
    ["b.fc/recompute", "backward"],
    ["b.act/recompute", "backward"],
    ["a.fc/recompute", "backward"],
    ["a.act/recompute", "backward"],
  ]);

  const groups = groupOps(variant!.ops, "phase");
  assert.deepEqual(groups.map(({ name, depth }) => [name, depth]), [
    ["forward", 0],
    ["backward", 0],
    ["backward: recomputed", 1],
    ["update", 0],
  ]);
  assert.equal(groups[2]!.ops, 4);
  assert.ok(groups[1]!.perStep! > groups[2]!.perStep!, "backward includes them");

  const options = { sort: "order", top: null, peaks: null } as const;
  const line = /^recomputed in the backward pass: .*ms, .* % of the ops of a step, in 4 ops$/;
  for (const { notes = [] } of [opsTable(variant!, options), phasesTable(variant!)]) {
    assert.equal(notes.filter((note) => line.test(note)).length, 1, notes.join("\n"));
  }
  const [head, ...rows] = renderProfileCsv(result).trim().split("\n").map((row) => row.split(","));
  const column = head!.indexOf("recomputed");
  assert.equal(rows.filter((row) => row[column] === "yes").length, 4);
});
