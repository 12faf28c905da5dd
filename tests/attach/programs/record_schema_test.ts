import { deepEqual, equal } from "node:assert/strict";
import { parseRecords } from "../../../runtime/attach/programs/record_schema.ts";
import { type AttachRecord, RECORDS_VERSION, TOTALS } from "../../../runtime/attach/records.ts";

const START: AttachRecord = { kind: "start", version: RECORDS_VERSION, realm: "main", time: 1, timeOrigin: 2 };
const DEVICE: AttachRecord = { kind: "device", device: 0, time: 1, label: "", adapter: "", timestamps: "none" };
const SITE = { kind: "site", device: 0, site: 0, kernel: -1, grid: null, bytes: 1, line: null, pass: "" } as const;
const PASSES = {
  ...{ kind: "passes", device: 0, site: [0], submit: [0], between: [0], begin: [1], end: [null] },
  ...{ defects: {}, resolution: null },
} as const;
const CUT = {
  ...{ kind: "cut", device: 0, by: "wait", name: null, start: 1, end: 2, symbol: 3, pending: 0 },
  ...{ totals: TOTALS.map(() => 1), host: [1, 2, 3], memory: 0, peak: 0 },
} as const;

const lines = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

Deno.test("records of others are read as they are, realm by realm", () => {
  const realm = [START, DEVICE, SITE, PASSES, CUT, { kind: "end", time: 3 }];
  deepEqual(parseRecords(lines([...realm, ...realm.slice(0, 2)])), [realm, realm.slice(0, 2)]);
  deepEqual(parseRecords(""), []);
});

Deno.test("records count up to the first that is damaged, refers to nothing, or would be endless", () => {
  const wrong: unknown[] = [
    { ...DEVICE, device: 2 },
    { ...CUT, device: 1 },
    { ...SITE, site: 2 },
    { ...SITE, site: 1, kernel: 0 },
    { ...PASSES, site: [1] },
    { ...PASSES, submit: [] },
    { ...CUT, totals: [1e12] },
    { ...CUT, host: [77, 1, 2] },
    { ...CUT, start: "1" },
    { ...CUT, by: "nothing" },
    { kind: "kernel", device: 0, kernel: 3, label: "", entryPoint: "", hash: "", does: "", line: null },
    { kind: "evil" },
    null,
    [],
  ];
  for (const record of wrong) {
    const [realm] = parseRecords(lines([START, DEVICE, SITE, record, CUT]));
    equal(realm!.length, 3, JSON.stringify(record));
  }
  equal(parseRecords(`${lines([START, DEVICE])}{"kind":"cut"`)[0]!.length, 2);
  const many = Array.from({ length: 30 }, () => ({ ...CUT, totals: [1e6] }));
  equal(parseRecords(lines([START, DEVICE, ...many]))[0]!.length, 2 + 20, "20 million submits");
  deepEqual(parseRecords(lines([DEVICE, START])), []);
});
