import type { Change, Finding } from "../../result/finding.ts";

/** Less is not worth a change, nor can it be told from noise. */
const LEAST_GAIN = 1.01;

/** What a rule found, before it is known to be worth telling. */
export interface Advice {
  readonly kind: string;
  readonly severity?: Finding["severity"];
  readonly message: string;
  readonly evidence: Finding["evidence"];
  readonly changes: readonly Change[];
  readonly gain: number;
  readonly reasoning: string;
}

/** The finding; null where it promises too little. */
export function worthwhile(advice: Advice): Finding | null {
  const { kind, severity = "info", message, evidence, changes, gain, reasoning } = advice;
  if (!Number.isFinite(gain) || gain < LEAST_GAIN) return null;
  return { kind, severity, message, evidence, changes: [...changes], predicted: { gain, reasoning } };
}

/** `12.3 ms` */
export function ms(value: number): string {
  return `${digits(value)} ms`;
}

/** `12 %` */
export function percent(share: number): string {
  return `${digits(share * 100)} %`;
}

/** Three digits that count. */
export function digits(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
