/** TensorFlow.js on its cpu backend. */
// deno-lint-ignore no-import-prefix -- packages of the configuration are installed by every script
import "npm:@tensorflow/tfjs-backend-cpu@4.22.0";

export * from "npm:@tensorflow/tfjs-core@4.22.0";
