/**
 * Deno's Jupyter kernel, driven as a notebook does.
 * Format: "Messaging in Jupyter", https://jupyter-client.readthedocs.io/en/stable/messaging.html
 *
 * @module
 */
import { createHmac, randomUUID } from "node:crypto";
import { ZmtpSocket } from "./zmtp.ts";

const DELIMITER = "<IDS|MSG>";

/** A message on a socket of the kernel. */
export interface KernelMessage {
  readonly type: string;
  /** ID of the request that it belongs to. */
  readonly parent: string | undefined;
  readonly content: MessageContent;
}

/** Fields of messages, each of some types of message. */
export interface MessageContent {
  /** Representations by MIME type. */
  readonly data?: Readonly<Record<string, string>>;
  readonly transient?: { readonly display_id: string };
  readonly execution_state?: string;
  /** `ok` or `error`, in replies. */
  readonly status?: string;
}

/** Printed text, displayed data and result of a cell. */
export interface CellOutput {
  /** Messages in order: `stream`, `display_data`, `update_display_data`, `execute_result`, `error`. */
  readonly messages: readonly KernelMessage[];
  /** `ok`, or `error`. */
  readonly status: string;
}

/** A running kernel. */
export class JupyterKernel implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #key: string;
  readonly #file: string;
  readonly #shell: ZmtpSocket;
  readonly #iopub: ZmtpSocket;
  readonly #heard: KernelMessage[] = [];
  #wake = () => {};

  private constructor(process: Deno.ChildProcess, key: string, file: string, shell: ZmtpSocket, iopub: ZmtpSocket) {
    this.#process = process;
    this.#key = key;
    this.#file = file;
    this.#shell = shell;
    this.#iopub = iopub;
    this.#listen();
  }

  /** Starts a kernel in a folder, whose `deno.json` gives the import map. */
  static async start(folder: string): Promise<JupyterKernel> {
    const [shell, iopub, stdin, control, heartbeat] = freePorts(5);
    const key = randomUUID();
    const file = await Deno.makeTempFile({ suffix: ".json" });
    const address = { transport: "tcp", ip: "127.0.0.1", key, signature_scheme: "hmac-sha256", kernel_name: "deno" };
    const ports = {
      shell_port: shell,
      iopub_port: iopub,
      stdin_port: stdin,
      control_port: control,
      hb_port: heartbeat,
    };
    await Deno.writeTextFile(file, JSON.stringify({ ...address, ...ports }));
    const process = new Deno.Command(Deno.execPath(), {
      args: ["jupyter", "--kernel", "--conn", file],
      cwd: folder,
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const connect = async (type: "DEALER" | "SUB", port: number) => {
      for (;;) {
        try {
          return await ZmtpSocket.connect(type, port);
        } catch (error) {
          if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    };
    const [dealer, sub] = [await connect("DEALER", shell!), await connect("SUB", iopub!)];
    const kernel = new JupyterKernel(process, key, file, dealer, sub);
    // The subscription may arrive after the first messages; an empty cell shows that it has
    while (!(await kernel.#heardBy(await kernel.#send({ code: "" }), 1000))) { /* again */ }
    return kernel;
  }

  /** Runs a cell and returns what it showed, once the kernel is idle again. */
  async run(code: string): Promise<CellOutput> {
    const id = await this.#send({ code });
    const { status = "" } = await this.#reply(id);
    // The kernel may send the cell's value after its status; an empty cell follows it
    const next = await this.#send({ code: "" });
    await this.#heardBy(next, Infinity);
    const own = (parent: string | undefined) => parent === id || parent === next;
    const messages = this.#heard.filter(({ parent, type }) => own(parent) && !/^(status|execute_input)$/.test(type));
    return { messages, status };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shell.close();
    this.#iopub.close();
    this.#process.kill("SIGKILL"); // it has nothing to save
    await this.#process.status;
    await Deno.remove(this.#file);
  }

  async #send({ code }: { code: string }): Promise<string> {
    const id = randomUUID();
    const date = new Date().toISOString();
    const header = { msg_id: id, session: "test", username: "test", date, msg_type: "execute_request", version: "5.3" };
    const options = {
      silent: false,
      store_history: true,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: true,
    };
    const parts = [header, {}, {}, { code, ...options }].map((part) => JSON.stringify(part));
    const signature = createHmac("sha256", this.#key);
    for (const part of parts) signature.update(part);
    const encoder = new TextEncoder();
    await this.#shell.send([DELIMITER, signature.digest("hex"), ...parts].map((part) => encoder.encode(part)));
    return id;
  }

  /** Returns the content of the reply to a request; those to earlier requests come first. */
  async #reply(id: string): Promise<KernelMessage["content"]> {
    for (;;) {
      const frames = await this.#shell.receive();
      if (frames === null) throw new Error("The kernel ended");
      const { parent, content } = parse(frames);
      if (parent === id) return content;
    }
  }

  async #listen(): Promise<void> {
    for (;;) {
      const frames = await this.#iopub.receive();
      if (frames === null) return;
      this.#heard.push(parse(frames));
      this.#wake();
    }
  }

  /** Waits until the kernel is idle after a request; returns false if it takes longer than `ms`. */
  async #heardBy(id: string, ms: number): Promise<boolean> {
    const isIdle = ({ type, parent, content }: KernelMessage) =>
      type === "status" && parent === id && content.execution_state === "idle";
    const end = performance.now() + ms;
    while (!this.#heard.some(isIdle)) {
      const left = end - performance.now();
      if (left <= 0) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = left === Infinity ? undefined : setTimeout(resolve, left);
      await promise;
      clearTimeout(timer);
    }
    return true;
  }
}

function parse(frames: readonly Uint8Array[]): KernelMessage {
  const texts = frames.map((frame) => new TextDecoder().decode(frame));
  const [header, parent, , content] = texts.slice(texts.indexOf(DELIMITER) + 2).map((text) => JSON.parse(text));
  return { type: header.msg_type, parent: parent.msg_id, content };
}

function freePorts(count: number): number[] {
  const listeners = Array.from({ length: count }, () => Deno.listen({ hostname: "127.0.0.1", port: 0 }));
  const ports = listeners.map(({ addr }) => (addr as Deno.NetAddr).port);
  for (const listener of listeners) listener.close();
  return ports;
}
