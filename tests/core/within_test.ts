import { rejects, strictEqual } from "node:assert/strict";
import { within } from "../../runtime/core/within.ts";

const late = () => new Error("late");

Deno.test("an answer in time is returned, and no timer is left", async () => {
  strictEqual(await within(Promise.resolve(3), 100_000, late), 3);
  await rejects(within(Promise.reject(new Error("failed")), 100_000, late), /failed/);
});

Deno.test("an answer that takes longer is an error of the caller", async () => {
  await rejects(within(new Promise(() => {}), 1, late), /^Error: late$/);
});
