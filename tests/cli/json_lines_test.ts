import assert from "node:assert/strict";
import { jsonLines } from "../../runtime/cli/json_lines.ts";
import { type ProgressEvent, type RunEvent, runEventSchema } from "../../runtime/result/run_event.ts";
import { runScript } from "./tacho_process.ts";

const SCRIPT = "./rehearsal_script.ts";

const progress: ProgressEvent = { type: "progress", variant: "a", stage: "measure", step: 1, steps: 9, fraction: 0.1 };

function parse(stdout: string): RunEvent[] {
  assert.ok(stdout.endsWith("\n"));
  return stdout.trimEnd().split("\n").map((line) => runEventSchema.parse(JSON.parse(line)));
}

Deno.test("--json-lines writes only events to stdout, one per line", async () => {
  const { code, stdout, stderr } = await runScript(
    SCRIPT,
    ["--json-lines", "--gate", "speedup.amp>=9", "--no-store"],
    {},
  );
  assert.equal(code, 1, stderr);
  const events = parse(stdout);
  assert.deepEqual(events.map(({ type }) => type), ["stream", "progress", "result"]);
  const last = events.at(-1)!;
  assert.ok(last.type === "result" && last.result.scenario.name === "rehearsal");
  assert.match(stderr, /^rehearsal: 4 variants[^]*speedup\.amp/, "other output goes to stderr");
});

Deno.test("an error is the last event, with the exit status", async () => {
  const { code, stdout } = await runScript(SCRIPT, ["--json-lines", "--no-store"], { TACHO_REHEARSAL: "lost" });
  assert.equal(code, 3);
  assert.deepEqual(parse(stdout).at(-1), {
    type: "error",
    message: "The device was lost: driver reset",
    exitStatus: 3,
  });
  const refused = await runScript(SCRIPT, ["--json-lines", "--dry-run"], {});
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^error: --json-lines: writes the events of a run to stdout/);
});

Deno.test("rapid progress events are thinned out, other events are not", () => {
  const clock = { now: 0 };
  const lines: string[] = [];
  const listen = jsonLines({ write: (line) => lines.push(line), now: () => clock.now });
  assert.deepEqual(lines.splice(0).map((line) => JSON.parse(line)), [{ type: "stream", version: 1 }]);
  const at = (now: number, event: RunEvent) => {
    clock.now = now;
    listen(event);
    return lines.splice(0).length;
  };
  assert.equal(at(0, progress), 1);
  assert.equal(at(50, { ...progress, step: 2 }), 0);
  assert.equal(at(60, { ...progress, step: 9 }), 1, "the end of a stage");
  assert.equal(at(70, { ...progress, variant: "b" }), 1, "another variant");
  assert.equal(at(200, { ...progress, variant: "b", step: 2 }), 1, "later");
  assert.equal(at(201, { type: "warning", kind: null, message: "\u001b[2J" }), 1);
  assert.equal(at(202, { type: "stream", version: 1 }), 0, "that of a sandboxed script");
  assert.equal(at(202, { type: "timeline", timeline: { variant: "a", spans: [], counters: [], flows: [] } }), 0);
});

Deno.test("an event is one line regardless of its message", () => {
  const lines: string[] = [];
  const warning: RunEvent = { type: "warning", kind: "load", message: "a\nb\u001b[2J\u2028" };
  jsonLines({ write: (line) => lines.push(line) })(warning);
  assert.deepEqual([lines.length, JSON.parse(lines[1]!)], [2, warning]);
  assert.match(lines[1]!, /^\P{C}+\n$/u);
});
