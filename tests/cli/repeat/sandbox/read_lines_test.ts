import assert from "node:assert/strict";
import { readLines } from "../../../../runtime/cli/repeat/sandbox/sandbox_process.ts";
import { InputError } from "../../../../runtime/core/errors.ts";
import { RandomStream } from "../../../../runtime/core/random.ts";

/** Reads the lines of bytes that arrive in chunks of random sizes. */
async function linesOf(bytes: Uint8Array, random: RandomStream, longest: number): Promise<string[]> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) chunks.push(bytes.subarray(at, at += 1 + random.uint32() % 9));
  return await Array.fromAsync(readLines(ReadableStream.from(chunks), longest, "too long"));
}

Deno.test("lines are the same however they arrive", async () => {
  for (let seed = 0; seed < 50; seed++) {
    const random = new RandomStream(seed);
    const lines = Array.from({ length: 20 }, () => "ü\r–x".repeat(random.uint32() % 5));
    const end = seed % 2 === 0 ? "\n" : "last";
    const bytes = new TextEncoder().encode(`${lines.join("\n")}${end}`);
    const expected = `${lines.join("\n")}${end}`.split("\n");
    if (expected.at(-1) === "") expected.pop();
    assert.deepEqual(await linesOf(bytes, random, 100), expected);
  }
});

Deno.test("a line over the limit is an error before its end", async () => {
  const random = new RandomStream(1);
  assert.deepEqual(await linesOf(new TextEncoder().encode("0123456789\n"), random, 10), ["0123456789"]);
  await assert.rejects(() => linesOf(new TextEncoder().encode("0123456789x"), random, 10), new InputError("too long"));
  const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(1000)) });
  await assert.rejects(() => Array.fromAsync(readLines(endless, 10_000, "too long")), InputError);
});
