/**
 * The ten classes of the stand-in: five figures and five textures. Each is a function of a pixel's position, negative
 * inside and positive outside, whose magnitude approximates the distance to the edge in pixels. Mirroring keeps the class.
 *
 * @module
 */
import type { RandomStream } from "../../core/random.ts";

/** Distance to the edge at (x, y), in pixels from the image's centre. */
export type Pattern = (x: number, y: number) => number;

/** Names of the classes, in the order of their labels. */
export const CLASS_NAMES = [
  "disc",
  "rings",
  "frame",
  "cross",
  "ramp",
  "horizontal stripes",
  "vertical stripes",
  "diagonal stripes",
  "checkerboard",
  "dots",
] as const;

const RAMP = CLASS_NAMES.indexOf("ramp");

/** Draws a pattern of a class with random position, scale and angle. */
export function drawPattern(label: number, random: RandomStream): Pattern {
  const between = (low: number, high: number) => low + (high - low) * random.uniform();
  if (label < 5) {
    const angle = label === RAMP ? between(-Math.PI, Math.PI) : between(-0.25, 0.25);
    return moved(figure(label, between(8.5, 12.5)), between(-4, 4), between(-4, 4), angle);
  }
  const period = between(5, 9);
  const tilt = between(-0.2, 0.2);
  switch (CLASS_NAMES[label]) {
    case "horizontal stripes":
      return moved(stripes(period), 0, between(0, period), tilt);
    case "vertical stripes":
      return moved(stripes(period), between(0, period), 0, Math.PI / 2 + tilt);
    case "diagonal stripes": {
      const slant = random.uniform() < 0.5 ? Math.PI / 4 : -Math.PI / 4;
      return moved(stripes(period), 0, between(0, period), slant + tilt);
    }
    case "checkerboard":
      return moved(checkerboard(period), between(0, 2 * period), between(0, 2 * period), tilt);
    default:
      return moved(dots(period), between(0, period), between(0, period), tilt);
  }
}

function moved(pattern: Pattern, dx: number, dy: number, angle: number): Pattern {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return (x, y) => pattern(cos * (x - dx) + sin * (y - dy), cos * (y - dy) - sin * (x - dx));
}

function figure(label: number, radius: number): Pattern {
  switch (CLASS_NAMES[label]) {
    case "disc":
      return (x, y) => Math.hypot(x, y) - 0.9 * radius;
    case "rings":
      return (x, y) => toNearest(Math.hypot(x, y), 0.6 * radius) - 0.15 * radius;
    case "frame":
      return (x, y) => Math.abs(Math.max(Math.abs(x), Math.abs(y)) - 0.8 * radius) - 0.16 * radius;
    case "cross":
      return (x, y) => {
        const [a, b] = [Math.abs(x), Math.abs(y)];
        return Math.max(Math.min(a, b) - 0.24 * radius, Math.max(a, b) - radius);
      };
    default:
      return (x) => x / (2 * radius); // a ramp: the edge is as wide as the figure
  }
}

/** Returns horizontal stripes; half of each period is inside. */
function stripes(period: number): Pattern {
  return (_x, y) => toNearest(y, period) - period / 4;
}

/** Returns a checkerboard with squares of three quarters of a period, larger than dots of the same period. */
function checkerboard(period: number): Pattern {
  const side = 0.75 * period;
  return (x, y) => {
    const [a, b] = [side / 2 - toNearest(x, 2 * side), side / 2 - toNearest(y, 2 * side)];
    const distance = Math.min(Math.abs(a), Math.abs(b));
    return (a > 0) === (b > 0) ? -distance : distance;
  };
}

function dots(period: number): Pattern {
  return (x, y) => Math.hypot(toNearest(x, period), toNearest(y, period)) - 0.28 * period;
}

/** Returns the distance of x to the nearest multiple of `period`. */
function toNearest(x: number, period: number): number {
  return Math.abs(x - period * Math.round(x / period));
}
