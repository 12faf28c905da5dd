/** TensorFlow.js on its cpu backend. */
export { version_cpu } from "npm:@tensorflow/tfjs-backend-cpu@4.22.0";
export * from "npm:@tensorflow/tfjs-core@4.22.0";
