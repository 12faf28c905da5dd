import { isInstance } from "../core/is_instance.ts";

/** The process ended, or did not answer in time. */
export class ProcessEnded extends Error {
  override name = "ProcessEnded";
}

/** Largest answer in characters that is read. */
const MAX_ANSWER = 2 ** 28;
/** Characters of stderr that are kept for messages. */
const KEPT = 2000;

/** A child process that answers each line of JSON with one. What else it prints is ignored. */
export class LineProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #lines: AsyncGenerator<string>;
  readonly #errors: Promise<void>;
  #stderr = "";

  constructor(
    module: string,
    args: readonly string[],
    permissions: readonly string[],
    env: Record<string, string> = {},
  ) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-config", "--no-lock", "--no-check", "--quiet", ...permissions, module, ...args],
      ...{ env, stdin: "piped", stdout: "piped", stderr: "piped" },
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#lines = linesOf(this.#child.stdout);
    this.#errors = this.#readErrors();
  }

  /**
   * Sends a request, and returns the answer.
   *
   * @param timeout longest time for the answer, in ms
   * @throws {ProcessEnded} with the reason, if the process ends before it answers, or takes too long
   */
  async ask(request: unknown, timeout: number): Promise<unknown> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#kill();
    }, timeout);
    try {
      await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`)).catch(() => {});
      for (;;) {
        const { value, done } = await this.#lines.next();
        if (done) throw new ProcessEnded(late ? `no answer in ${timeout / 1000} s` : await this.#reason());
        if (value.startsWith("{")) return JSON.parse(value);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    this.#kill();
    await this.#child.status;
    await this.#errors;
    for await (const _ of this.#lines); // closes the stream
  }

  #kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!isInstance(error, TypeError)) throw error; // it has ended
    }
  }

  async #reason(): Promise<string> {
    const { code, signal } = await this.#child.status;
    await this.#errors;
    const last = this.#stderr.trimEnd().split("\n").filter((line) => !line.startsWith("WARNING")).at(-1) ?? "";
    return `${signal ?? `status ${code}`}${last === "" ? "" : `: ${last}`}`;
  }

  async #readErrors(): Promise<void> {
    for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
      this.#stderr = (this.#stderr + text).slice(-KEPT);
    }
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const [first = "", ...others] = text.split("\n");
    parts.push(first);
    length += first.length;
    for (const other of others) {
      yield parts.splice(0).join("");
      parts.push(other);
      length = other.length;
    }
    if (length > MAX_ANSWER) return;
  }
}
