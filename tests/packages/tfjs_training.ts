/** TensorFlow.js on its cpu backend, with the gradients of its ops, which tfjs-layers registers. */
// deno-lint-ignore no-import-prefix -- packages of the configuration are installed by every script
import "npm:@tensorflow/tfjs-layers@4.22.0";

export * from "./tfjs.ts";
