/** Formats a number as C's `%g`: six significant digits, no trailing zeros, an exponent for very small or large ones. */
export function formatG(value: number): string {
  if (!Number.isFinite(value) || value === 0) return String(value);
  const [digits = "0", exponentText = "0"] = value.toExponential(5).split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return trimZeros(value.toFixed(5 - exponent));
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${trimZeros(digits)}e${exponent < 0 ? "-" : "+"}${size}`;
}

function trimZeros(digits: string): string {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}
