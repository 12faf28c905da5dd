/** WebGPU's classes and constants: those that npm's `webgpu` exports, once the program has loaded it. */
export const webgpu: Record<string, unknown> = {};
