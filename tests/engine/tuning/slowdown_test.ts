import { strictEqual } from "node:assert/strict";
import { agreedSlowdown } from "../../../runtime/engine/tuning/tuner.ts";

const times = (...all: (number | null)[]) => all.map((time, i) => ({ id: `${i}`, name: `kernel ${i}`, time }));

Deno.test("a choice that every measurement shows as slow is another machine's", () => {
  strictEqual(agreedSlowdown([times(4, 1), times(3, 1), times(5, 1)], "0"), 3);
});

Deno.test("under load another candidate is the best each time, which says nothing of the choice", () => {
  strictEqual(agreedSlowdown([times(4, 1, 3), times(4, 3, 1)], "0"), 1);
  strictEqual(agreedSlowdown([times(4, 1), times(1, 2)], "0"), 1, "once it is the best itself");
});

Deno.test("a choice that could not be timed is not slow", () => {
  strictEqual(agreedSlowdown([times(null, 1)], "0"), 1);
});
