import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { EVERY_VARIANT, type Gate, type Operator, OPERATORS } from "./gate.ts";
import { type Quantity, splitSubject } from "./gate_metrics.ts";
import { parseWanted } from "./wanted.ts";

/** Matches the first operator with all of its signs, also misspelt. Variant names may contain a single `=`. */
const OPERATOR = /^(.*?)((?:=\s*)?[<>!≥≤≠][<>=!\s]*|={2}[<>=!\s]*)(.*)$/s;

/** Measured quantities, which are never exactly equal in two runs. */
const MEASURED: readonly Quantity[] = ["time", "rate", "ratio"];

/**
 * Reads a gate: `METRIC.VARIANT OPERATOR VALUE`, where the value may be relative to a stored run, `+5%@last`.
 *
 * @throws {InputError} naming what was expected and the nearest metric, word or unit
 */
export function parseGate(text: string): Gate {
  const gate = text.trim();
  const found = gate.match(OPERATOR);
  if (found === null) {
    const hint = gate.includes("=") ? "; equality is written ==" : "";
    throw new InputError(
      `gate "${gate}": expected METRIC.VARIANT, one of ${OPERATORS.join(" ")}, and a value, such as ` +
        `speedup.sink>=1.1${hint}`,
    );
  }
  const [, subject = "", signs = "", right = ""] = found;
  const operator = parseOperator(signs.replaceAll(/\s/g, ""), gate);
  const { metric, variant } = splitSubject(subject.trim(), gate);
  const wanted = parseWanted(right.trim(), metric, gate);
  if ((metric.quantity === "word" || metric.quantity === "hash") && operator !== "==" && operator !== "!=") {
    throw new InputError(
      `gate "${gate}": ${metric.name} is a ${metric.quantity}; compare it with == or !=, not ${operator}`,
    );
  }
  if (MEASURED.includes(metric.quantity) && (operator === "==" || operator === "!=")) {
    throw new InputError(`gate "${gate}": ${metric.name} is measured and never exactly equal; use >= and <=`);
  }
  return { text: gate, metric, variant, operator, wanted };
}

/** Characters of mathematics and how gates spell them. */
const SPELT: Readonly<Record<string, string>> = { "≥": ">=", "≤": "<=", "≠": "!=", "<>": "!=" };

function parseOperator(text: string, gate: string): Operator {
  const found = OPERATORS.find((operator) => operator === text);
  if (found !== undefined) return found;
  const signs = new Set(SPELT[text] ?? text);
  const meant = OPERATORS.find((operator) => new Set(operator).symmetricDifference(signs).size === 0);
  const hint = meant === undefined ? `use one of ${OPERATORS.join(" ")}` : `did you mean "${meant}"?`;
  throw new InputError(`gate "${gate}": unknown operator "${text}"; ${hint}`);
}

/**
 * Checks that the variants in gates exist.
 *
 * @throws {InputError} naming the nearest variant
 */
export function checkVariants(gates: readonly Gate[], variants: readonly string[]): void {
  for (const { text, variant } of gates) {
    if (variant === EVERY_VARIANT || variants.includes(variant)) continue;
    throw new InputError(`gate "${text}": unknown variant "${variant}"${suggestion(variant, variants)}`);
  }
}
