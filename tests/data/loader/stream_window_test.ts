import assert from "node:assert/strict";
import { RandomStream } from "../../../runtime/core/random.ts";
import { bufferedOrder } from "../../../runtime/data/loader/epoch_order.ts";
import { StreamWindow } from "../../../runtime/data/loader/stream_window.ts";
import { rejects } from "../../support/refuses.ts";

function* counting(length: number) {
  for (let i = 0; i < length; i++) yield i;
}

Deno.test("a shuffle buffer returns every sample, none before it can have arrived", () => {
  for (const [n, size] of [[100, 1], [100, 7], [100, 100], [5, 50], [1, 3]] as const) {
    const order = bufferedOrder(new RandomStream(3, n), n, size);
    assert.deepEqual([...order].sort((a, b) => a - b), [...counting(n)]);
    order.forEach((sample, place) => assert.ok(sample < place + size, `${sample} at ${place}, buffer ${size}`));
    if (size === 1) assert.deepEqual([...order], [...counting(n)]);
  }
  const [a, b] = [1, 2].map((seed) => [...bufferedOrder(new RandomStream(seed), 100, 10)]);
  assert.notDeepEqual(a, b);
});

Deno.test("a window returns items in order, skips other workers' batches and keeps few items", async () => {
  const [n, size, batch] = [400, 16, 10];
  for (const async of [false, true]) {
    const open = () =>
      async
        ? (async function* () {
          yield* counting(n);
        })()
        : counting(n);
    for (const mine of [(_: number) => true, (k: number) => k % 3 === 1, (k: number) => k === 7]) {
      const window = new StreamWindow<number>(open, n);
      for (const epoch of [0, 1]) {
        const order = bufferedOrder(new RandomStream(9, epoch), n, size);
        for (let k = 0; k < n / batch; k++) {
          if (!mine(k)) continue;
          window.seek(epoch, order, k * batch);
          for (let i = k * batch; i < (k + 1) * batch; i++) assert.equal(await window.get(order[i]!), order[i]);
          assert.ok(window.size <= size + batch, `${window.size} kept`);
        }
      }
      window.close();
    }
  }
});

Deno.test("a window without an order returns items as they arrive, and restarts", async () => {
  const window = new StreamWindow<number>(() => counting(6), 6);
  window.seek(0, null, 4);
  assert.equal(await window.get(5), 5);
  window.seek(0, null, 0);
  assert.equal(await window.get(0), 0);
});

Deno.test("a stream that ends early is reported", async () => {
  const window = new StreamWindow<number>(() => counting(3), 6);
  window.seek(0, null, 0);
  await rejects(window.get(4), /the stream has ended after 3 samples, but its length is 6/);
});

Deno.test("a stream is closed at the end of its pass", async () => {
  let closed = 0;
  const open = function* () {
    try {
      yield* counting(5);
    } finally {
      closed++;
    }
  };
  const window = new StreamWindow<number>(open, 5);
  window.seek(0, null, 0);
  await window.get(1);
  window.seek(1, null, 0);
  assert.equal(closed, 1);
  await window.get(1);
  window.close();
  assert.equal(closed, 2);
});
