import type { UniformValue } from "../../runtime/device/kernel.ts";

/** WGSL of a schedule of the learning rate, with its constants; plain data. */
export interface RateSchedule {
  /** Declarations at module scope that `body` reads; names begin with `schedule_`. */
  readonly prelude?: string;
  /** Fields of `u` that `body` reads; names begin with `schedule`. */
  readonly uniforms: Readonly<Record<string, UniformValue>>;
  /** Body of a function that returns the factor on the learning rate, f32, for `t: u32`, the number of updates so far. */
  readonly body: string;
}

/** Returns the declaration of `rate_factor(t)`. */
export function rateFactor({ prelude = "", body }: RateSchedule): string {
  return `${prelude}
fn rate_factor(t: u32) -> f32 {${body}
}`;
}

/**
 * WGSL of `schedule_falling(x)`, half a period of a cosine that falls from 1 at x = 0 to 0 at x = 1: (1 + cos(pi x)) / 2.
 * WGSL's `cos` may be off by 2^-11, so this is the series of sin(pi y) up to y^11 at y = 1/2 - x.
 */
export const COSINE_FALL = `
fn schedule_falling(x: f32) -> f32 {
  let y = 0.5 - x;
  let z = y * y;
  let sine = y * (3.14159265 - z * (5.16771278 - z * (2.55016404 - z * (0.599264529 - z * (0.0821458866 - z * 0.00737043)))));
  return clamp(0.5 + 0.5 * sine, 0.0, 1.0);
}`;
