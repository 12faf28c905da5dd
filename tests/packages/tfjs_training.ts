/** TensorFlow.js on its cpu backend, with the gradients of its ops, which tfjs-layers registers. */
export { version_layers } from "npm:@tensorflow/tfjs-layers@4.22.0";
export * from "./tfjs.ts";
