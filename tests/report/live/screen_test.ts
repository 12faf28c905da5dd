/** Frames as an emulated terminal shows them. */
import assert from "node:assert/strict";
import xterm from "../../packages/xterm.ts";
import { LiveScreen } from "../../../runtime/report/live/screen.ts";

/** A terminal of the given size, a screen that draws on it, and the lines that it shows. */
function rehearse(columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  const pending: Promise<void>[] = [];
  const write = (text: string) => void pending.push(new Promise((resolve) => terminal.write(text, resolve)));
  const screen = new LiveScreen(write, () => ({ columns: terminal.cols, rows: terminal.rows }));
  const lines = async (): Promise<string[]> => {
    await Promise.all(pending);
    const buffer = terminal.buffer.active;
    const all = Array.from({ length: buffer.length }, (_, i) => buffer.getLine(i)!.translateToString(true));
    return all.slice(0, all.findLastIndex((line) => line !== "") + 1);
  };
  return { terminal, screen, write, lines };
}

Deno.test("a frame replaces the previous one, whichever is longer", async () => {
  const { screen, write, lines } = rehearse(40, 10);
  write("$ deno run\n");
  screen.draw(["first", "a longer line"]);
  screen.draw(["one", "two", "three"]);
  assert.deepEqual(await lines(), ["$ deno run", "one", "two", "three"]);
  screen.draw(["short"]);
  assert.deepEqual(await lines(), ["$ deno run", "short"]);
  screen.clear();
  write("result\n");
  assert.deepEqual(await lines(), ["$ deno run", "result"]);
});

Deno.test("at the bottom of the terminal only the first frame scrolls", async () => {
  const { screen, write, lines } = rehearse(40, 5);
  for (let i = 0; i < 4; i++) write(`line ${i}\n`);
  for (let i = 0; i < 20; i++) screen.draw([`frame ${i}`, "bar", "variant"]);
  assert.deepEqual(await lines(), ["line 0", "line 1", "line 2", "line 3", "frame 19", "bar", "variant"]);
});

Deno.test("resizing the terminal keeps the lines above the frame", async () => {
  const { terminal, screen, write, lines } = rehearse(40, 12);
  write("$ deno run\n");
  const wide = ["x".repeat(38), "y".repeat(25)];
  screen.draw(wide);
  await lines();
  terminal.resize(15, 12);
  screen.draw(["x".repeat(14), "y".repeat(14)]);
  assert.deepEqual(await lines(), ["$ deno run", "x".repeat(14), "y".repeat(14)]);
  terminal.resize(60, 12);
  screen.draw(wide);
  assert.deepEqual(await lines(), ["$ deno run", ...wide]);
});

Deno.test("the cursor stays on the line below the frame, where other output is kept", async () => {
  const { terminal, screen, lines, write } = rehearse(40, 10);
  screen.draw(["one", "two"]);
  await lines();
  assert.deepEqual([terminal.buffer.active.cursorX, terminal.buffer.active.cursorY], [0, 2]);
  write("Interrupted: finishing the step\n");
  screen.leave();
  screen.draw(["one", "two"]);
  assert.deepEqual(await lines(), ["one", "two", "Interrupted: finishing the step", "one", "two"]);
});
