/**
 * Processor time of single ops in PyTorch, whose convolutions and products are oneDNN's: what the processor of a software
 * adapter can do.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Node } from "../runtime/graph/op.ts";

export class ProcessorOps {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #times = new Map<string, number | null>();
  #ended = false;

  constructor(python: string) {
    const script = join(import.meta.dirname!, "peers/processor_ops.py");
    this.#process = spawn(python, [script], { stdio: ["pipe", "pipe", "ignore"] });
    this.#process.on("error", () => this.#ended = true);
    this.#process.stdin!.on("error", () => this.#ended = true);
    const lines: Interface = createInterface({ input: this.#process.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** False if Python or PyTorch is missing. */
  get runs(): boolean {
    return !this.#ended;
  }

  /** Returns the minimum processor time of a node's op in f32, in ms; null if PyTorch is missing or has no such op. */
  async time(node: Node): Promise<number | null> {
    const task = JSON.stringify({
      op: node.op.type,
      inputs: node.inputs.map(({ type }) => type.shape),
      outputs: node.outputs.map(({ shape }) => shape),
      attrs: node.attrs,
    });
    const known = this.#times.get(task);
    if (known !== undefined || this.#ended) return known ?? null;
    this.#process.stdin!.write(`${task}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) this.#ended = true;
    const time = done === true ? null : (JSON.parse(value) as { cpu: number | null }).cpu;
    this.#times.set(task, time);
    return time;
  }

  close(): void {
    this.#process.stdin!.end();
  }
}
