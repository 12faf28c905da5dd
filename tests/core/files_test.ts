import assert from "node:assert/strict";
import { join } from "node:path";
import { InputError } from "../../runtime/core/errors.ts";
import * as files from "../../runtime/core/files.ts";
import { SPECIAL_FILES } from "../support/special_files.ts";
import { tempFolder } from "../support/temp_folder.ts";

async function inFolder(test: (path: (name: string) => string) => void | Promise<void>): Promise<void> {
  using temporary = tempFolder();
  const folder = temporary.path;
  await test((name) => join(folder, name));
}

Deno.test({
  name: "what is no regular file is neither read nor, but for devices, written",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    for (const [kind, make] of Object.entries(SPECIAL_FILES)) {
      await inFolder((path) => {
        using _special = make(path("f"));
        const reads = [files.openFile, files.readFile, files.readText, files.readTextIfAny, files.inspectFile];
        for (const read of reads) {
          assert.throws(() => read(path("f")), { name: "InputError", message: /f is not a file$/ });
        }
        assert.equal(files.isFile(path("f")), false, kind);
        assert.equal(files.isFolder(path("f")), kind === "a folder", kind);
        if (kind === "a link to a device") files.writeFile(path("f"), "x");
        else assert.throws(() => files.writeFile(path("f"), "x"), /f is a (folder|pipe).*; expected a file$/, kind);
        assert.throws(
          () => files.writeFile(path("f"), "x", { write: true, createNew: true }),
          Deno.errors.AlreadyExists,
        );
      });
    }
  },
});

Deno.test("a file is read and written as text, as bytes and in pieces", async () => {
  await inFolder((path) => {
    files.writeFile(path("f"), ["\uFEFFä", "", "b"]);
    assert.equal(files.readText(path("f")), "\uFEFFäb");
    files.writeFile(path("f"), new Uint8Array([1, 2]));
    files.writeFile(path("f"), new Uint8Array([3]), { append: true });
    assert.deepEqual([...files.readFile(path("f"))], [1, 2, 3]);
    assert.equal(files.readTextIfAny(path("none")), null);
    assert.equal(files.readTextIfAny(path("f/none")), null);
  });
});

Deno.test("a file above the limit is refused before it is read, and one that grows is read as it was", async () => {
  await inFolder((path) => {
    files.writeFile(path("f"), "12345");
    assert.throws(() => files.readFile(path("f"), 4), (error) => {
      return error instanceof InputError && /f is too large: it has 5 bytes; expected at most 4$/.test(error.message);
    });
    Deno.truncateSync(path("f"), files.LARGEST.text + 1);
    assert.throws(() => files.readText(path("f")), /is too large/);
  });
});

Deno.test({
  name: "a file of the kernel is empty unless it is read as one",
  ignore: Deno.build.os !== "linux",
  fn() {
    assert.equal(files.readText("/proc/self/status"), "");
    assert.match(files.readKernelFile("/proc/self/status"), /^Name:/);
  },
});
