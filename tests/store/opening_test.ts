import assert from "node:assert/strict";

const OPENER = new URL("./opener.ts", import.meta.url).href;
const STORES = 200;

Deno.test("several processes can open a store while it is created", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const open = (purpose: string) => {
      const args = ["run", "-q", "-A", "--no-check", OPENER, purpose, folder, String(STORES)];
      return new Deno.Command(Deno.execPath(), { args, stdin: "null" }).output();
    };
    const ends = await Promise.all(["read", "write", "read", "write"].map(open));
    for (const { code, stderr } of ends) assert.equal(code, 0, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
