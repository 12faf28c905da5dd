import { deepEqual, equal } from "node:assert/strict";
import type { Plan } from "../../runtime/compile/plan.ts";
import { scenario } from "../../mod.ts";
import { withOpenSession } from "../support/session.ts";
import { small } from "../trainer/models.ts";

/** Ends a segment after each dispatch, as all-reduces of small buckets do in the backward pass. */
function splitEverywhere(plan: Plan): Plan {
  const segments = plan.segments.flatMap(({ phase, dispatches }) =>
    dispatches.map((dispatch) => ({ phase, dispatches: [dispatch] }))
  );
  return { ...plan, segments };
}

Deno.test("an op whose dispatches are in several segments is one op, and micro-batches number its dispatches", async () => {
  const net = scenario(small({ accumulate: 2, variants: { one: {} } }));
  await withOpenSession(net, async ({ compiled, session, slots }) => {
    const { ops, dispatches } = session.executor;
    const count = compiled.plan.segments.reduce((sum, segment) => sum + segment.dispatches.length, 0);
    const updates = dispatches.filter(({ batch }) => batch === null);
    equal(dispatches.length, 2 * count - updates.length);
    deepEqual(new Set(updates.map(({ phase }) => phase)), new Set(["update"]));
    const several = ops.filter((_, op) =>
      updates.filter((dispatch) => dispatch.op === op).length > 1 ||
      dispatches.filter((dispatch) => dispatch.op === op && dispatch.batch === 0).length > 1
    );
    equal(several.length > 0, true, "some op has several dispatches");
    slots.reserve(compiled.plan.slots);
    await session.replan({ ...compiled, plan: splitEverywhere(compiled.plan) });
    const split = session.executor;
    equal(split.phases.length, dispatches.length);
    deepEqual(split.ops.map(({ nodeId, phase }) => [nodeId, phase]), ops.map(({ nodeId, phase }) => [nodeId, phase]));
    deepEqual(
      split.dispatches.map(({ op, phase, kernel, batch }) => [op, phase, kernel, batch]),
      dispatches.map(({ op, phase, kernel, batch }) => [op, phase, kernel, batch]),
    );
  });
});
