import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fullTest } from "../../support/full.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { tachoHere } from "../tacho_here.ts";
import { scriptCommand, tacho } from "./tacho_process.ts";

// tests/experiment/input_hashes_test.ts compares the hashes
fullTest("comparing and repeating runs says that a file of the data has changed", async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  try {
    const corpus = join(folder, "corpus.txt");
    const runOn = async (text: string) => {
      await Deno.writeTextFile(corpus, text.repeat(50));
      const env = { TACHO_TEXT: corpus };
      const { code, stderr } = await scriptCommand("text_file_script.ts", folder, ["--verbosity", "2"], { env })
        .output();
      strictEqual(code, 0, new TextDecoder().decode(stderr));
    };
    await runOn("abcdefgh ");
    await runOn("hgfedcba ");
    const names = ["last~1", "last"];
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await tachoHere(folder, ...args);
      strictEqual(code, 0, stderr);
      return stdout;
    };
    const changed = /data corpus\.txt: [0-9a-f]{12} in \w+, [0-9a-f]{12} in \w+/;
    match(await said("compare", ...names), changed);
    match(await said("diff", ...names), changed);
    match(
      await said("diff", "--markdown", ...names),
      /^- data corpus\.txt: [0-9a-f]{12} in \w+, [0-9a-f]{12} in \w+$/m,
    );
    const { environment } = JSON.parse(await said("diff", "--json", ...names)) as { environment: { what: string }[] };
    deepStrictEqual(environment.map(({ what }) => what), ["data corpus.txt"]);
    // The file has the content of the second run, so that repeating the first one cannot agree
    Deno.env.set("TACHO_TEXT", corpus);
    const { code, stdout } = await tacho(folder, "repeat", "last~1");
    strictEqual(code, 1, stdout);
    match(stdout, /^ {2}data corpus\.txt: [0-9a-f]{12} then, [0-9a-f]{12} now$/m);
    match(stdout, /^The results (cannot be compared|do not agree) with run \w+/m);
  } finally {
    Deno.env.delete("TACHO_TEXT");
  }
});
