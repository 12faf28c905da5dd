/** WGSL of the logistic function 1 / (1 + exp(-x)), with no exponent above 0. */
export const SIGMOID = `fn sigmoid(x: vec4<f32>) -> vec4<f32> {
  let e = exp(-abs(x));
  return select(e, vec4<f32>(1.0), x >= vec4<f32>(0.0)) / (1.0 + e);
}`;
