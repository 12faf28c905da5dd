import assert from "node:assert/strict";
import { join } from "node:path";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { imageFolder } from "../../../runtime/data/sources/image_folder.ts";
import { DEFAULTS, take, withFolder } from "../fixtures.ts";

const whole = Deno.readFileSync(join(import.meta.dirname!, "../../fixtures/images/baseline.jpg"));
/** Without its end marker. */
const cut = whole.slice(0, -2);

Deno.test("samples with warnings are counted, and the first warnings are kept, with any loader", async () => {
  await withFolder({}, async (dir) => {
    for (const name of ["a", "b"]) {
      Deno.mkdirSync(join(dir, name));
      Deno.writeFileSync(join(dir, name, "1.jpg"), whole);
      Deno.writeFileSync(join(dir, name, "2.jpg"), cut);
    }
    const profile = async (options: Partial<LoaderOptions>, cache: "memory" | null = null) => {
      await using loader = await createLoader(imageFolder({ dir, cache, size: [34, 45] }), {
        ...DEFAULTS,
        batchSize: 2,
        ...options,
      });
      const batches = await take(loader, 6);
      loader.resetProfile();
      const { warned, warnings, skipped } = loader.profile();
      assert.equal(skipped, 0);
      assert.ok(warnings.length > 0);
      for (const warning of warnings) assert.match(warning, /[/\\][ab][/\\]2\.jpg: Premature end of JPEG file$/);
      return [warned, batches.map(({ input }) => input)] as const;
    };
    const [warned, expected] = await profile({});
    assert.equal(warned, 6); // two in each of three epochs
    for (const options of [{ numWorkers: 1 }, { numWorkers: 2, sharedMemory: false }]) {
      assert.deepEqual(await profile(options), [6, expected]);
    }
    // The cache decodes each file once
    assert.deepEqual(await profile({}, "memory"), [2, expected]);
  });
});
