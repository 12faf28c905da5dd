import { DeviceError, InputError } from "../../core/errors.ts";
import { partUrl } from "../../store/tacho_files.ts";
import { LineProcess, ProcessEnded } from "../line_process.ts";
import { restrict } from "../spirv/restrict.ts";
import { NAGA, PACKAGE } from "./package.ts";

/** Compiles WGSL to the SPIR-V that a driver gets. */
export interface Translator extends AsyncDisposable {
  /** Name and version of the front end. */
  readonly version: string;
  /** @throws {InputError} if the front end refuses the code */
  toSpirv(wgsl: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Longest time for a kernel, in ms. */
const TIMEOUT = 60_000;

/** Returns the package with naga as a translator, in a process that may only read. */
export function createNaga(): Translator {
  let process: LineProcess | null = null;
  return {
    version: `${NAGA} (npm:${PACKAGE})`,
    async toSpirv(wgsl) {
      process ??= new LineProcess(partUrl("runtime/isa/naga/process.ts"), [], ["--allow-read", "--allow-env"]);
      let answer: { spirv?: string; refused?: string; missing?: string };
      try {
        answer = await process.ask({ wgsl }, TIMEOUT) as typeof answer;
      } catch (cause) {
        if (!(cause instanceof ProcessEnded)) throw cause;
        await process[Symbol.asyncDispose]();
        process = null;
        throw new InputError(`the front end ended on this code: ${cause.message}`, { cause });
      }
      if (answer.missing !== undefined) throw new DeviceError(answer.missing);
      if (answer.spirv === undefined) throw new InputError(firstLines(answer.refused ?? ""));
      return restrict(Uint8Array.fromBase64(answer.spirv));
    },
    async [Symbol.asyncDispose]() {
      await process?.[Symbol.asyncDispose]();
    },
  };
}

/** Shortens a message of naga, which may quote much code. */
function firstLines(message: string): string {
  const lines = message.trim().split("\n");
  return lines.slice(0, 4).join("\n");
}
