import { MAX_LAPS } from "../../runtime/data/loader/lap_log.ts";
import type { CounterSample, Flow, Span, Timeline } from "../../runtime/record/timeline.ts";

const PHASES = ["forward", "backward", "update"] as const;
const MEMORY = ["parameters", "gradients", "optimizer", "activations", "workspace", "feed"] as const;

/** Returns a timeline like that of a training run, with names and arguments as long as those of ResNet-50. */
export function syntheticTimeline({ steps, ops, workers }: { steps: number; ops: number; workers: number }): Timeline {
  const spans: Span[] = [];
  const counters: CounterSample[] = [];
  const flows: Flow[] = [];
  let now = 1234.5;
  for (let step = 0; step < steps; step++) {
    const start = now;
    const add = (track: string, name: string, length: number, args?: Span["args"]) => {
      spans.push({ track, name, start: now, end: now + length, step, ...(args === undefined ? {} : { args }) });
      return now += length;
    };
    counters.push({ counter: "host queue", time: now, value: step % 3 });
    add("main", "load dataset", 0.4);
    add("main", "let data", 0.3);
    spans.push({ track: "copies", name: "input", start: now - 0.3, end: now, step, args: { bytes: 4816896 } });
    add("main", "encode", 2.1);
    const submit = now;
    add("main", "submit", 0.5);
    flows.push({ name: "submit", from: { track: "main", time: submit }, to: { track: "device ops", time: now } });
    const waiting = now;
    for (const [i, phase] of PHASES.entries()) {
      const phaseStart = now;
      const share = Math.round(ops * [0.3, 0.6, 0.1][i]!);
      for (let op = 0; op < share; op++) {
        add("device ops", `layer3.${op % 6}.conv${op % 3}.conv2d_weight_grad`, 0.05 + (op % 7) * 0.03, {
          kernel: "conv2d.forward.nhwc.16x16 + batch_norm.apply",
          shapes: "[32,256,14,14] [1024,256,1,1] -> [32,1024,14,14]",
          layer: `layer3.${op % 6}.conv${op % 3}`,
        });
        for (const name of MEMORY) {
          counters.push({
            counter: `memory: ${name}`,
            time: now,
            value: 1e8 + (name === "activations" ? op * 802816 : 0),
          });
        }
      }
      spans.push({ track: "device phases", name: phase, start: phaseStart, end: now, step });
      now += 0.02;
    }
    spans.push({ track: "main", name: "wait", start: waiting, end: now, step });
    for (let worker = 0; worker < workers; worker++) spans.push(...madeBatch(`worker ${worker}`, step, start));
    spans.push({ track: "main", name: `step ${step}`, start, end: now, step });
    now += 0.3;
  }
  return { variant: "baseline", spans, counters, flows };
}

/** Names of stages, as long as those of a real chain of transforms. */
const STAGES = ["read", "decode", "randomResizedCrop+randomHorizontalFlip (u8 hwc > f32 hwc)", "normalize+", "collate"];

/** Returns the spans of a batch with as many samples as are recorded individually. */
function madeBatch(track: string, step: number, start: number): Span[] {
  const samples = Math.floor(MAX_LAPS / (STAGES.length + 1));
  const spans: Span[] = [{ track, name: `batch ${step}`, start, end: start + samples * 0.05, args: { samples } }];
  for (let sample = 0; sample < samples; sample++) {
    const begin = start + sample * 0.05;
    spans.push({ track, name: `sample ${sample * 977}`, start: begin, end: begin + 0.05 });
    STAGES.forEach((name, i) => spans.push({ track, name, start: begin + i * 0.01, end: begin + (i + 1) * 0.01 }));
  }
  return spans;
}
