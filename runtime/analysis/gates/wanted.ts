/**
 * The right side of a gate: `1.1`, `200ms`, `2GiB`, `90%`, `+5%@last`, `-3ms@baseline`, `faster|same`.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import type { Wanted } from "./gate.ts";
import type { GateMetric, Quantity } from "./gate_metrics.ts";

/** Units by quantity, as factors of the unit in results: ms, bytes, 1. */
const UNITS: Readonly<Record<Exclude<Quantity, "word" | "hash" | "rate">, Readonly<Record<string, number>>>> = {
  time: { us: 1e-3, "µs": 1e-3, ms: 1, s: 1e3, min: 60e3 },
  ratio: { "%": 0.01, x: 1, "×": 1 },
  bytes: {
    B: 1,
    kB: 1e3,
    KB: 1e3,
    MB: 1e6,
    GB: 1e9,
    KiB: 2 ** 10,
    MiB: 2 ** 20,
    GiB: 2 ** 30,
    TiB: 2 ** 40,
  },
  number: {},
};

const EXAMPLES: Readonly<Record<Quantity, string>> = {
  time: "200ms",
  rate: "140 or 140images/s",
  ratio: "1.1 or 110%",
  bytes: "300MiB",
  number: "2.3",
  word: "",
  hash: "@baseline",
};

/** Hash of a set of kernels. */
const HASH = /^[0-9a-f]{16}$/;

const NUMBER = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(.*)$/i;

/**
 * Parses the right side of a gate on `metric`.
 *
 * @param gate the whole gate, for messages
 * @throws {InputError} naming what was expected
 */
export function parseWanted(text: string, metric: GateMetric, gate: string): Wanted {
  const wrong = (message: string) => new InputError(`gate "${gate}": ${message}`);
  if (metric.quantity === "word") return { kind: "words", words: parseWords(text, metric, wrong) };
  if (metric.quantity === "hash" && HASH.test(text)) return { kind: "words", words: [text] };
  const [amount = "", run, ...more] = text.split("@").map((part) => part.trim());
  if (more.length > 0 || run === "") {
    throw wrong(`expected one stored run after @, such as @last, @baseline or an ID from "tacho runs"`);
  }
  if (run !== undefined && amount === "") return { kind: "factor", run, factor: 1 };
  if (metric.quantity === "hash") {
    throw wrong(`${metric.name} is a hash; compare it with that of a stored run, such as ==@baseline, got "${text}"`);
  }
  const found = amount.match(NUMBER);
  if (found === null) throw wrong(`expected a value such as ${EXAMPLES[metric.quantity]}, got "${amount}"`);
  const [, sign, digits, unit = ""] = found;
  const size = Number(digits);
  const value = sign === "-" ? -size : size;
  if (!Number.isFinite(value)) throw wrong(`expected a number, got "${amount}"`);
  const relative = sign !== "";
  if (run === undefined) {
    if (unit === "%" && (relative || metric.quantity !== "ratio")) {
      throw wrong(
        `${amount} is relative: name the stored run, such as ${amount}@last or ${amount}@baseline` +
          (metric.quantity === "ratio" ? `, or write ${size}%` : ""),
      );
    }
    return number(value, unit, metric, wrong);
  }
  if (unit === "%") return { kind: "factor", run, factor: relative ? 1 + value / 100 : value / 100 };
  if (!relative && (unit === "x" || unit === "×")) return { kind: "factor", run, factor: value };
  if (!relative) throw wrong(`expected a difference before @${run}, such as +${amount} or -${amount}, or a percentage`);
  return { kind: "shift", run, by: number(value, unit, metric, wrong).value };
}

function number(value: number, unit: string, { name, quantity }: GateMetric, wrong: (message: string) => InputError) {
  if (quantity === "word" || quantity === "hash") throw new TypeError(`${name} is not a number`);
  if (quantity === "rate") {
    if (unit !== "" && !/^\S+\/s$/.test(unit)) {
      throw wrong(`${name} is measured in samples per second, got the unit "${unit}"; write ${EXAMPLES.rate}`);
    }
    return { kind: "number", value, unit: unit === "" ? null : unit } as const;
  }
  const units = UNITS[quantity];
  if (unit !== "" && !Object.hasOwn(units, unit)) {
    const known = Object.keys(units);
    throw wrong(
      `unknown unit "${unit}" for ${name}` + (known.length === 0 ? ", which has no unit" : suggestion(unit, known)),
    );
  }
  const factor = units[unit] ?? 1;
  // 115 * 0.01 rounds to more than 1.15; 115 / 100 does not
  return { kind: "number", value: factor < 1 ? value / Math.round(1 / factor) : value * factor, unit: null } as const;
}

function parseWords(text: string, { name, words }: GateMetric, wrong: (message: string) => InputError): string[] {
  const list = text.split("|").map((word) => word.trim());
  for (const word of list) {
    if (words.includes(word)) continue;
    const close = suggestion(word, words);
    throw wrong(
      `${name} is ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, got "${word}"${
        close.startsWith("; did") ? close : ""
      }`,
    );
  }
  return list;
}
