import assert from "node:assert/strict";
import { shellWord } from "../../runtime/core/shell_word.ts";

Deno.test("A word is quoted where a shell would read more than a word", () => {
  assert.equal(shellWord("loader.numWorkers=0,2"), "loader.numWorkers=0,2");
  assert.equal(shellWord('amp.keepF32=["fc"]'), `'amp.keepF32=["fc"]'`);
  assert.equal(shellWord("it's $HOME"), `'it'\\''s $HOME'`);
  assert.equal(shellWord(""), "''");
});

Deno.test("A shell gives the word back", async () => {
  const words = ["a b", "'", "$(id)", "`id`", "a\nb", "*", "-n", "\\", '"'];
  const command = new Deno.Command("sh", { args: ["-c", `printf '%s\\0' ${words.map(shellWord).join(" ")}`] });
  const { stdout } = await command.output();
  assert.deepEqual(new TextDecoder().decode(stdout).split("\0").slice(0, -1), words);
});
