import { DeviceError } from "../../core/errors.ts";
import { partUrl } from "../../store/tacho_files.ts";
import type { Gpu } from "../gpus.ts";
import { LineProcess, ProcessEnded } from "../line_process.ts";
import type { EntryPoint } from "../spirv/reflect.ts";
import type { DriverAnswer, DriverKernel } from "./compile.ts";
import type { DriverFacts } from "./vulkan.ts";

/** Longest time for a kernel, in ms. */
const TIMEOUT = 120_000;

/** The driver for one GPU, in a process that is started again after a kernel has ended it. */
export class RadvProcess implements AsyncDisposable {
  readonly facts: DriverFacts;
  readonly #start: () => LineProcess;
  #process: LineProcess | null;

  private constructor(facts: DriverFacts, process: LineProcess, start: () => LineProcess) {
    this.facts = facts;
    this.#process = process;
    this.#start = start;
  }

  /**
   * Opens a null device of a GPU.
   *
   * @throws {DeviceError} if the driver cannot be loaded, or knows the GPU by none of its names
   */
  static async open(library: string, gpu: Gpu): Promise<RadvProcess> {
    let reason = "";
    for (const family of gpu.families) {
      const start = () =>
        new LineProcess(partUrl("runtime/isa/radv/process.ts"), [library], ["--allow-ffi"], {
          RADV_FORCE_FAMILY: family,
          MESA_SHADER_CACHE_DISABLE: "true",
        });
      const process = start();
      try {
        const answer = await process.ask({}, TIMEOUT) as DriverFacts | { refused: string };
        if (!("refused" in answer)) return new RadvProcess(answer, process, start);
        reason = answer.refused;
      } catch (error) {
        if (!(error instanceof ProcessEnded)) throw error;
        reason = error.message;
      }
      await process[Symbol.asyncDispose]();
    }
    throw new DeviceError(`${library} opens no device for ${gpu.name}: ${reason}`);
  }

  /** Compiles an entry point; a refusal and the end of the process are returned. */
  async compile(spirv: Uint8Array, entry: EntryPoint): Promise<DriverAnswer | { readonly error: string }> {
    const kernel: DriverKernel = {
      spirv: spirv.toBase64(),
      entryPoint: entry.name,
      bindings: entry.bindings,
      immediates: entry.immediates,
      texts: true,
    };
    try {
      if (this.#process === null) {
        this.#process = this.#start();
        await this.#process.ask({}, TIMEOUT);
      }
      const answer = await this.#process.ask(kernel, TIMEOUT) as DriverAnswer | { refused: string };
      return "refused" in answer ? { error: answer.refused } : answer;
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error;
      await this.#process?.[Symbol.asyncDispose]();
      this.#process = null;
      return { error: `the compiler ended on this kernel: ${error.message}` };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
  }
}
