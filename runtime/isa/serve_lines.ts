/** Answers each line of JSON on stdin with one on stdout, until stdin ends. Runs in a process of its own. */
export async function serveLines(answer: (request: unknown) => unknown): Promise<void> {
  const encoder = new TextEncoder();
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const bytes = encoder.encode(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
      for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
    }
  }
}
