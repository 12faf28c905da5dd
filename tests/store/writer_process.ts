const WRITER = new URL("./writer.ts", import.meta.url).href;

export interface WriterProcess {
  /** Settled when it has said so many lines, of which the first is that the store is open, or when it has ended. */
  said(lines: number): Promise<void>;
  readonly end: Promise<{ ids: string[]; code: number; stderr: string }>;
  kill(): void;
}

/** Starts a writer in a process of its own; `shell` are commands before it that set its limits. */
export function startWriter(folder: string, count = Infinity, shell?: string): WriterProcess {
  const words = [Deno.execPath(), "run", "-q", "-A", "--no-check", WRITER, folder, String(count)];
  const all = shell === undefined ? words : ["sh", "-c", `${shell}\nexec "$@"`, "sh", ...words];
  const command = new Deno.Command(all[0]!, { args: all.slice(1), stdout: "piped", stderr: "piped", stdin: "null" });
  const child = command.spawn();
  let text = "";
  let over = false;
  let next = Promise.withResolvers<void>();
  const tell = () => {
    next.resolve();
    next = Promise.withResolvers<void>();
  };
  const listen = async () => {
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += piece;
      tell();
    }
    over = true;
    tell();
  };
  const said = async (lines: number) => {
    while (!over && text.split("\n").length <= lines) await next.promise;
  };
  const end = async () => {
    const [, stderr, { code }] = await Promise.all([listen(), new Response(child.stderr).text(), child.status]);
    // A line that was cut off is no report
    return { ids: text.split("\n").slice(0, -1).filter((line) => !["open", "begun"].includes(line)), code, stderr };
  };
  return { said, end: end(), kill: () => kill(child) };
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // it has ended by itself
  }
}
