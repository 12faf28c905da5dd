import type { Step } from "../../../runtime/result/attach_result.ts";
import { deepStrictEqual } from "node:assert/strict";
import { accountOf } from "../../../runtime/analysis/attach/account.ts";
import { CAUSES } from "../../../runtime/record/idle_causes.ts";
import { gather } from "../../../runtime/analysis/attach/recording.ts";
import {
  type AttachRecord,
  HOST_KINDS,
  type HostKind,
  type TotalName,
  TOTALS,
} from "../../../runtime/attach/records.ts";

type Interval = readonly [kind: HostKind, start: number, end: number];
type Passed = readonly [submit: number, begin: number, end: number, between?: number];

/** Accounts for a step from 0 to 100 ms of these host intervals and passes. */
function account(host: readonly Interval[], passes: readonly Passed[], before?: { submits: number; pending: number }) {
  const device = { device: 0 };
  const cut = (
    [start, end]: readonly [number, number],
    { submits, pending = 0 }: { readonly submits: number; readonly pending?: number },
    intervals: readonly Interval[] = [],
  ): AttachRecord => ({
    ...{ kind: "cut", ...device, by: "submit", name: null, start, end, symbol: 1, pending, memory: 0, peak: 0 },
    totals: TOTALS.map((name: TotalName) => name === "submits" ? submits : 0),
    host: intervals.flatMap(([kind, from, to]) => [HOST_KINDS.indexOf(kind), from, to]),
  });
  const records: AttachRecord[] = [
    { kind: "device", ...device, time: 0, label: "", adapter: "", timestamps: "program" },
    { kind: "site", ...device, site: 0, kernel: 0, grid: [1, 1, 1], bytes: 0, line: null, pass: "" },
    ...before === undefined ? [] : [cut([-10, 0], before)],
    cut([0, 100], { submits: host.filter(([kind]) => kind === "submit").length }, host),
    {
      ...{ kind: "passes", ...device, defects: {}, resolution: 1 },
      site: passes.map(() => 0),
      submit: passes.map(([submit]) => submit),
      between: passes.map(([, , , between = 0]) => between),
      begin: passes.map(([, begin]) => begin),
      end: passes.map(([, , end]) => end),
    },
  ];
  const recording = gather(records).devices[0]!;
  const at = before === undefined ? 0 : 1;
  const stretch = recording.stretches[at]!;
  const { wall, kernels, idle, sum, span } = accountOf(
    recording,
    { ...stretch, from: at, to: at + 1 } as unknown as Step,
  );
  const parts = Object.fromEntries(CAUSES.filter((cause) => idle[cause] > 0).map((cause) => [cause, idle[cause]]));
  return { wall, kernels, sum, span, ...parts };
}

Deno.test("idle stretches have the causes of a step that waits", () => {
  const host: Interval[] = [
    ["upload", 5, 15],
    ["encode", 15, 25],
    ["submit", 25, 30],
    ["wait", 32, 70],
    ["sleep", 70, 80],
    ["read", 80, 85],
  ];
  deepStrictEqual(account(host, [[0, 35, 50], [0, 52, 60]]), {
    ...{ wall: 100, kernels: 23, sum: 23, span: 25 },
    gaps: 5 + 2, // until the first pass, of which 2 before the wait, and between the passes
    encode: 10,
    submit: 5,
    upload: 10,
    read: 5,
    wait: 10,
    sleep: 10,
    host: 5 + 15,
  });
});

Deno.test("overlapping passes count once as kernels, and the sum and the span stand beside", () => {
  const parts = account([["submit", 0, 10]], [[0, 10, 40], [0, 30, 50], [0, 60, 70]]);
  deepStrictEqual([parts.kernels, parts.sum, parts.span], [50, 60, 60]);
});

Deno.test("gaps beside copies are copies, and compilation counts within encoding", () => {
  const host: Interval[] = [["encode", 0, 40], ["compile", 10, 30], ["submit", 40, 50]];
  deepStrictEqual(account(host, [[0, 50, 60], [0, 75, 100, 1]]), {
    ...{ wall: 100, kernels: 35, sum: 35, span: 50 },
    copies: 15,
    encode: 20,
    submit: 10,
    compile: 20,
  });
});

Deno.test("waiting for an asynchronous pipeline is compilation unless the host does something else", () => {
  const parts = account([["compiling", 0, 50], ["upload", 10, 20]], []);
  deepStrictEqual(parts, { wall: 100, kernels: 0, sum: 0, span: 0, upload: 10, compile: 40, host: 50 });
});

Deno.test("the recorder's own time is no part of the wall time", () => {
  const { wall, kernels } = account([["submit", 0, 10], ["own", 60, 90]], [[0, 10, 50]]);
  deepStrictEqual([wall, kernels], [70, 40]);
});

Deno.test("work that was not timed leaves time unexplained until the next wait", () => {
  const host: Interval[] = [["wait", 30, 60]];
  const parts = account(host, [], { submits: 1, pending: 1 });
  deepStrictEqual(parts, { wall: 100, kernels: 0, sum: 0, span: 0, host: 40, unexplained: 60 });
});

Deno.test("work that was not timed, but waited for, leaves nothing unexplained", () => {
  const parts = account([["wait", 30, 60]], [], { submits: 1, pending: 0 });
  deepStrictEqual(parts, { wall: 100, kernels: 0, sum: 0, span: 0, wait: 30, host: 70 });
});

Deno.test("the sum and the span of a step's kernels count the parts within it", () => {
  const { kernels, sum, span } = account([["submit", 10, 20]], [[0, -20, 15], [1, 30, 50], [1, 40, 70], [2, 90, 130]]);
  deepStrictEqual([kernels, sum, span], [15 + 40 + 10, 15 + 20 + 30 + 10, 100]);
});
