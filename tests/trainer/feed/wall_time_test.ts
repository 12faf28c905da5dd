import { ok } from "node:assert/strict";
import { scenario } from "../../../mod.ts";
import { sampled } from "../../support/full.ts";
import { withSession } from "../../support/session.ts";
import { images } from "./experiments.ts";

const variants = {
  plain: {},
  host: { timing: "host" },
  sync: { timing: "sync" },
  event: { timing: "event" },
  monitored: { monitor: "step" },
  monitoredHost: { monitor: "step", timing: "host" },
  sink: { sink: 4 },
  sinkHost: { sink: 4, timing: "host" },
  sinkSync: { sink: 4, timing: "sync" },
  sinkEvent: { sink: 4, timing: "event" },
} as const;

const timed = scenario(images({ variants }));

/** Longer than any block of a test takes, in ms. */
const JUMP = 1e7;

/** Makes `performance.now` jump ahead on request. Restores it when disposed. */
function jumpingClock() {
  const { now } = performance;
  let jumps = 0;
  performance.now = () => now.call(performance) + jumps * JUMP;
  return {
    jump: () => void jumps++,
    get jumps() {
      return jumps;
    },
    [Symbol.dispose]: () => void (performance.now = now),
  };
}

for (const variant of sampled(Object.keys(variants), 5)) {
  Deno.test(`a block's batch costs add up to its wall time, with all waits and readbacks: ${variant}`, async () => {
    await withSession(timed, variant, async ({ feed, device }) => {
      await feed.run(4);
      using clock = jumpingClock();
      const { wait, buffer } = device;
      device.wait = () => {
        clock.jump();
        return wait.call(device);
      };
      device.buffer = (label, ...rest) => {
        if (label === "readback") clock.jump();
        return buffer.call(device, label, ...rest);
      };
      const { steps, wall } = await feed.run(8);
      ok(clock.jumps >= 2 && wall >= clock.jumps * JUMP, `${wall} for ${clock.jumps} waits and readbacks`);
      const sum = steps.reduce((total, { batchCost }) => total + batchCost, 0);
      ok(Math.abs(sum - wall) <= 1e-9 * wall, `${sum} and ${wall}`);
    });
  });
}
