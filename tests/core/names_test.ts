import assert from "node:assert/strict";
import { DeviceError, ExitStatus, InputError, InterruptedError, TachoError } from "../../runtime/core/errors.ts";
import { nearest, suggestion } from "../../runtime/core/nearest.ts";

const KNOWN = ["optimizer", "loader.batchSize", "sink", "amp", "evaluate"];

Deno.test("the nearest name is found for typing mistakes and beginnings", () => {
  const cases: Record<string, string | undefined> = {
    optimiser: "optimizer",
    optimzer: "optimizer",
    Sink: "sink",
    snik: "sink",
    opt: "optimizer",
    "loader.batchsize": "loader.batchSize",
    evaluation: "evaluate",
    amp: "amp",
    xyz: undefined,
    momentum: undefined,
    "": undefined,
  };
  for (const [name, wanted] of Object.entries(cases)) assert.equal(nearest(name, KNOWN), wanted, name);
  assert.equal(nearest("sink", []), undefined);
});

Deno.test("a suggestion names the nearest, or all there are", () => {
  assert.equal(suggestion("sinc", KNOWN), '; did you mean "sink"?');
  assert.equal(suggestion("quux", ["ab", "cd"]), "; known: ab, cd");
  assert.equal(suggestion("quux", []), "");
});

Deno.test("each kind of error has its exit status and its name", () => {
  const cases = [
    [new InputError("a"), 2, "InputError"],
    [new DeviceError("a"), 3, "DeviceError"],
    [new InterruptedError(), 130, "InterruptedError"],
  ] as const;
  for (const [error, status, name] of cases) {
    assert.ok(error instanceof TachoError && error instanceof Error);
    assert.deepEqual([error.exitStatus, error.name], [status, name]);
  }
  assert.deepEqual({ ...ExitStatus }, { ok: 0, gateFailed: 1, badInput: 2, device: 3, interrupted: 130 });
  assert.equal(new InputError("a", { cause: "b" }).cause, "b");
});
