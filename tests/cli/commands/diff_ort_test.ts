import { match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { ortProfile } from "../../analysis/op_diff/ort_fixture.ts";
import { tachoHere } from "../tacho_here.ts";

Deno.test("tacho diff --ort compares two profile files, without kept runs", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tacho-test-" });
  try {
    const write = (name: string, conv: number) => {
      const file = join(folder, name);
      const near = (ms: number) => [0, 1, 2, 3, 4, 5, 6, 7].map((i) => ms * 1000 + 7 * i);
      Deno.writeTextFileSync(file, ortProfile({ "/conv1/Conv": near(conv), "/fc/Gemm": near(0.5) }));
      return file;
    };
    const [a, b] = [write("a.json", 2), write("b.json", 8)];
    const { code, stdout, stderr } = await tachoHere(join(folder, "store"), "diff", "--ort", a, b);
    strictEqual(code, 0, stderr);
    match(stdout, /a\.json/);
    match(stdout, /^\/conv1\/Conv .* 2\.03 +8\.03 +\+6\.00 /m);
    match(stdout, /^\/fc\/Gemm .* 0\.53 +0\.53 /m);

    const none = await tachoHere(join(folder, "store"), "diff", "--ort", "last", "last~1");
    strictEqual(none.code, 2);
    match(none.stderr, /--ort: expected a profile file, got last and last~1/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
