/**
 * WGSL of sin and cos by quadrants: WGSL's own are precise to 2^-11 within one turn only. The argument is reduced by
 * multiples of pi / 2 in three parts (W. Cody and W. Waite, 1980); the polynomials are those of Cephes' `sinf` and
 * `cosf`. Precise for |x| below about 8000.
 */
export const SINE = `fn sineAt(x: vec4<f32>, quarter: f32) -> vec4<f32> {
  let turns = round(x * 0.63661977);
  let r = ((x - turns * 1.5703125) - turns * 4.837512969970703125e-4) - turns * 7.549789948768648e-8;
  let quadrant = (vec4<i32>(turns) + vec4<i32>(i32(quarter))) & vec4<i32>(3);
  let z = r * r;
  let sine = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r;
  let cosine = ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
  let value = select(sine, cosine, (quadrant & vec4<i32>(1)) != vec4<i32>(0));
  return select(value, -value, (quadrant & vec4<i32>(2)) != vec4<i32>(0));
}`;
