import assert from "node:assert/strict";
import { join } from "node:path";
import { environmentDifferences } from "../../runtime/analysis/environment_differences.ts";
import { inputHashes } from "../../runtime/experiment/input_hashes.ts";
import type { VariantConfig } from "../../runtime/result/config.ts";
import { imageFolder, text } from "../../mod.ts";
import { result } from "../report/result_fixture.ts";
import { makePipe, SPECIAL_FILES } from "../support/special_files.ts";

/** Returns the part of a variant's configuration that names files. */
function config(data: unknown, weights: string | null = null): VariantConfig {
  return { data, weights } as VariantConfig;
}

async function inFolder(check: (path: (name: string) => string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await check((name) => join(folder, name));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("data, weights and the tokenizer's package are among a run's inputs, by name without folder", async () => {
  await inFolder(async (path) => {
    await Deno.writeTextFile(path("a.txt"), "abc");
    await Deno.writeTextFile(path("w.safetensors"), "weights");
    const used = config(text({ file: path("a.txt"), tokenizer: "gpt2", context: 2 }), path("w.safetensors"));
    const first = await inputHashes([used, used]);
    assert.deepEqual(Object.keys(first), ["data a.txt", "package gpt-tokenizer", "weights w.safetensors"]);
    assert.match(first["package gpt-tokenizer"]!, /^\d+\.\d+\.\d+$/);
    assert.deepEqual(await inputHashes([used]), first);

    await Deno.writeTextFile(path("a.txt"), "abd");
    const second = await inputHashes([used]);
    const { environment } = result([]);
    const found = environmentDifferences({ ...environment, inputs: first }, { ...environment, inputs: second });
    assert.deepEqual(found.map(({ what }) => what), ["data a.txt"]);
    assert.match(found[0]!.then!, /^[0-9a-f]{12}$/);
    assert.deepEqual(environmentDifferences(environment, { ...environment, inputs: second }), []);
  });
});

Deno.test("a changed byte, size or name in a folder of data changes its hash", async () => {
  await inFolder(async (path) => {
    await Deno.mkdir(path("images/cat"), { recursive: true });
    await Deno.writeTextFile(path("images/cat/1.png"), "one");
    await Deno.writeTextFile(path("images/cat/2.png"), "two");
    const hash = async () => (await inputHashes([config(imageFolder({ dir: path("images") }))]))["data images"]!;
    const seen = [await hash()];
    await Deno.symlink(path("images"), path("images/cat/again"));
    assert.equal(await hash(), seen[0], "a link to a folder above adds no file");
    await Deno.writeTextFile(path("images/cat/2.png"), "twO");
    seen.push(await hash());
    await Deno.rename(path("images/cat/2.png"), path("images/cat/3.png"));
    seen.push(await hash());
    assert.equal(new Set(seen).size, 3);
  });
});

Deno.test({
  name: "pipes, sockets and devices among data are not opened, and hide no changed file",
  ignore: Deno.build.os === "windows",
  async fn() {
    await inFolder(async (path) => {
      await Deno.mkdir(path("images/cat"), { recursive: true });
      await Deno.writeTextFile(path("images/cat/1.png"), "one");
      const hash = async (name = "images") => {
        const found = await inputHashes([config(imageFolder({ dir: path(name) }))]);
        return found[`data ${name}`];
      };
      const first = await hash();
      for (const [i, [kind, make]] of Object.entries(SPECIAL_FILES).entries()) {
        using _special = make(path(`images/cat/${i}0.png`));
        assert.equal(await hash(), first, kind);
      }
      await Deno.writeTextFile(path("images/cat/1.png"), "two");
      assert.notEqual(await hash(), first);
      makePipe(path("pipe"));
      assert.equal(await hash("pipe"), undefined);
    });
  },
});

Deno.test("large data are hashed in parts, which the hash says; missing files are left out", async () => {
  await inFolder(async (path) => {
    const bytes = new Uint8Array(1000);
    await Deno.writeFile(path("large.txt"), bytes);
    const of = (whole: number) =>
      inputHashes([config(text({ file: path("large.txt"), context: 2 }), path("gone"))], { whole, part: 4, files: 10 });
    assert.match((await of(1000))["data large.txt"]!, /^[0-9a-f]{64}$/);
    const parts = await of(999);
    assert.match(parts["data large.txt"]!, /^[0-9a-f]{64} of parts$/);
    bytes[999] = 1;
    await Deno.writeFile(path("large.txt"), bytes);
    assert.notDeepEqual(await of(999), parts);
    assert.deepEqual(Object.keys(parts), ["data large.txt"]);
  });
});
