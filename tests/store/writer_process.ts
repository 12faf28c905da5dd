const WRITER = new URL("./writer.ts", import.meta.url).href;

export interface WriterProcess {
  /** Resolves when the process has printed this many lines, or has ended. The first line says that the store is open. */
  said(lines: number): Promise<void>;
  readonly end: Promise<{ ids: string[]; code: number; stderr: string }>;
  kill(): void;
}

/** Starts a writer in its own process; `shell` holds commands that set its limits. */
export function startWriter(folder: string, count = Infinity, shell?: string): WriterProcess {
  const words = [Deno.execPath(), "run", "-q", "-A", "--no-check", WRITER, folder, String(count)];
  const all = shell === undefined ? words : ["sh", "-c", `${shell}\nexec "$@"`, "sh", ...words];
  const command = new Deno.Command(all[0]!, { args: all.slice(1), stdout: "piped", stderr: "piped", stdin: "null" });
  const child = command.spawn();
  let text = "";
  let over = false;
  let next = Promise.withResolvers<void>();
  const notify = () => {
    next.resolve();
    next = Promise.withResolvers<void>();
  };
  const listen = async () => {
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += piece;
      notify();
    }
    over = true;
    notify();
  };
  const said = async (lines: number) => {
    while (!over && text.split("\n").length <= lines) await next.promise;
  };
  const end = async () => {
    const [, stderr, { code }] = await Promise.all([listen(), new Response(child.stderr).text(), child.status]);
    // An incomplete last line does not count
    return { ids: text.split("\n").slice(0, -1).filter((line) => !["open", "begun"].includes(line)), code, stderr };
  };
  return { said, end: end(), kill: () => kill(child) };
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // it has already ended
  }
}
