import { InterruptedError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import type { Session } from "./session.ts";

export interface CompileOptions {
  /** Called before each shader with the number of those compiled and of all. */
  onShader(done: number, all: number): void;
  shouldStop(): boolean;
}

/**
 * Compiles the shaders of a session that the device has not run yet, one by one. Adapters compile a shader when it is
 * first dispatched, so each is dispatched with a single workgroup; then the state is restored.
 *
 * @returns number of compiled shaders
 * @throws {InterruptedError} if `shouldStop` returns true
 */
export async function compileShaders(
  { executor, state }: Pick<Session, "executor" | "state">,
  device: Device,
  { onShader, shouldStop }: CompileOptions,
): Promise<number> {
  const shaders = executor.newShaders();
  if (shaders.length === 0) return 0;
  const before = state.snapshot();
  try {
    for (const [i, shader] of shaders.entries()) {
      if (shouldStop()) throw new InterruptedError();
      onShader(i, shaders.length);
      const encoder = device.gpu.createCommandEncoder({ label: `compile ${shader.name}` });
      shader.encode(encoder);
      device.submit(encoder);
      device.wait();
    }
    onShader(shaders.length, shaders.length);
  } finally {
    state.restore(before);
  }
  await device.settle();
  return shaders.length;
}
