import assert from "node:assert/strict";
import { DeviceError, ExitStatus, InputError, InterruptedError, TachoError } from "../../runtime/core/errors.ts";

Deno.test("each error class has its exit status and name", () => {
  const cases = [
    [new InputError("a"), 2, "InputError"],
    [new DeviceError("a"), 3, "DeviceError"],
    [new InterruptedError(), 130, "InterruptedError"],
  ] as const;
  for (const [error, status, name] of cases) {
    assert.ok(error instanceof TachoError && error instanceof Error);
    assert.deepEqual([error.exitStatus, error.name], [status, name]);
  }
  const statuses = {
    ok: 0,
    gateFailed: 1,
    badInput: 2,
    device: 3,
    rank: 4,
    unexpected: 70,
    output: 74,
    interrupted: 130,
  };
  assert.deepEqual({ ...ExitStatus }, statuses);
  assert.equal(new InputError("a", { cause: "b" }).cause, "b");
});
