import { deepEqual, equal, ok } from "node:assert/strict";
import { install } from "../../runtime/attach/install.ts";
import type { ContentTap, Realm } from "../../runtime/attach/realm.ts";
import { beginRecords } from "../../runtime/attach/realm.ts";
import type { AttachRecord } from "../../runtime/attach/records.ts";
import { Registry } from "../../runtime/attach/registry.ts";

/** Events of a realm in order. */
type Event = readonly [kind: string, ...values: unknown[]];

/** A realm whose clock moves by 1 ms a look, and whose sink, gate and tap note what reaches them. */
class FakeRealm implements Realm {
  readonly records: AttachRecord[] = [];
  readonly events: Event[] = [];
  /** Queues whose steps ended. */
  readonly queues: GPUQueue[] = [];
  readonly waitsBlock: boolean;
  readonly sink = { write: (record: AttachRecord) => void this.records.push(record), flush: () => {} };
  readonly tap: ContentTap = {
    create: ({ label }) => void this.events.push(["create", label]),
    write: ({ bytes, ...where }) =>
      void this.events.push(
        "buffer" in where
          ? ["write", where.buffer.label, where.offset, [...bytes]]
          : ["write", where.texture.texture.label, where.layout, where.size, [...bytes]],
      ),
    read: ({ label }, offset, bytes) => void this.events.push(["read", label, offset, [...bytes]]),
  };
  /** Time that the gate holds the program, in ms. */
  held = 0;
  #time = 1000;

  constructor(waitsBlock: boolean) {
    this.waitsBlock = waitsBlock;
  }

  readonly now = () => this.#time++;

  readonly onStep = (queue: GPUQueue, pending: number) => {
    this.events.push(["step", pending]);
    this.queues.push(queue);
    this.#time += this.held;
  };

  of<K extends AttachRecord["kind"]>(kind: K): Extract<AttachRecord, { kind: K }>[] {
    return this.records.filter((record): record is Extract<AttachRecord, { kind: K }> => record.kind === kind);
  }
}

const COPY = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;

/** Two steps that write, copy and read; the first submits without a wait. Returns its queue. */
async function program(): Promise<GPUQueue> {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter!.requestDevice();
  const source = device.createBuffer({ label: "source", size: 16, usage: COPY, mappedAtCreation: true });
  new Uint8Array(source.getMappedRange(8, 4)).set([1, 2, 3, 4]);
  source.unmap();
  const target = device.createBuffer({
    label: "target",
    size: 16,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const texture = device.createTexture({
    label: "image",
    size: [2, 1],
    format: "r32uint",
    usage: GPUTextureUsage.COPY_DST,
  });
  const submit = () => {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(source, 0, target, 0, 16);
    device.queue.submit([encoder.finish()]);
  };
  device.queue.writeBuffer(source, 4, new Uint16Array([9, 8, 7, 6]), 1, 2);
  submit();
  performance.mark("step");
  device.queue.writeTexture({ texture }, new Uint32Array([5, 6]), { bytesPerRow: 8 }, [2, 1]);
  device.queue.writeBuffer(source, 0, new Uint8Array([0, 1, 2, 3, 4, 5]).buffer, 1, 4);
  submit();
  await target.mapAsync(GPUMapMode.READ, 8, 8);
  deepEqual([...new Uint8Array(target.getMappedRange(8, 4))], [1, 2, 3, 4], "the program's own values");
  target.unmap();
  performance.mark("step");
  device.destroy();
  return device.queue;
}

for (const waitsBlock of [true, false]) {
  Deno.test(`a realm's sink, clock, gate and tap are the recorder's only ones; waits that ${waitsBlock ? "" : "do not "}block`, async () => {
    const realm = new FakeRealm(waitsBlock);
    realm.held = 1e6;
    const registry = new Registry();
    beginRecords(realm, "fake");
    const settings = { steps: { by: "mark" }, stack: false, budget: 1, timing: false } as const;
    const patches = install(registry, { settings, realm });
    let queue: GPUQueue;
    try {
      queue = await program();
      registry.end(realm);
    } finally {
      patches.undo();
    }
    deepEqual(realm.events, [
      ["create", "source"],
      ["write", "source", 8, [1, 2, 3, 4]],
      ["create", "target"],
      ["create", "image"],
      ["write", "source", 4, [8, 0, 7, 0]],
      ["step", 1],
      ["write", "image", { bytesPerRow: 8 }, [2, 1], [5, 0, 0, 0, 6, 0, 0, 0]],
      ["write", "source", 0, [1, 2, 3, 4]],
      ["read", "target", 8, [1, 2, 3, 4]],
      ["step", 0],
    ]);
    ok(realm.queues.every((other) => other === queue));
    deepEqual([realm.of("start")[0]?.realm, realm.records.at(-1)?.kind], ["fake", "end"]);
    const cuts = realm.of("cut").filter(({ by }) => by === "mark");
    equal(cuts.length, 2);
    // Every look at the clock is a whole number; the host's own clock has fractions
    const times = [...realm.of("device").map(({ time }) => time), ...cuts.flatMap(({ start, end }) => [start, end])];
    ok(times.every((time) => Number.isInteger(time) && time >= 1000), `${times}`);
    const [first, second] = cuts;
    ok(second!.start - first!.end >= 1e6 && second!.end - second!.start < 1000, "the time in the gate is no step's");
    ok(realm.now() < 3e6, "nothing else moves the clock");
  });
}

Deno.test("a realm without a tap or a gate records the steps of a program", async () => {
  const records: AttachRecord[] = [];
  let time = 0;
  const realm: Realm = {
    sink: { write: (record) => void records.push(record), flush: () => {} },
    now: () => time++,
    waitsBlock: true,
  };
  const registry = new Registry();
  const settings = { steps: { by: "mark" }, stack: false, budget: 1, timing: false } as const;
  const patches = install(registry, { settings, realm });
  try {
    await program();
  } finally {
    patches.undo();
  }
  equal(records.filter((record) => record.kind === "cut" && record.by === "mark").length, 2);
});
