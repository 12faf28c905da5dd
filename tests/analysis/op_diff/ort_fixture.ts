/** An event as onnxruntime writes it, with times in microseconds. */
type Event = Record<string, unknown>;

/**
 * Returns the text of a profile file of onnxruntime: loading, then runs of a session whose nodes take `times[node][run]` us.
 */
export function ortProfile(times: Readonly<Record<string, readonly number[]>>): string {
  const event = (cat: string, name: string, ts: number, dur: number, args: Event): Event => ({
    ...{ cat, pid: 4711, tid: 4711, dur, ts, ph: "X", name, args },
  });
  const runs = Math.max(...Object.values(times).map(({ length }) => length));
  const events = [
    event("Session", "model_loading_uri", 0, 900, {}),
    event("Session", "session_initialization", 900, 100, {}),
  ];
  let at = 1000;
  for (let run = 0; run < runs; run++) {
    const start = at;
    for (const [node, durations] of Object.entries(times)) {
      const dur = durations[run]!;
      const type = node.split("/").at(-1)!;
      const args = {
        ...{ op_name: type, provider: "CPUExecutionProvider", node_index: "0", thread_scheduling_stats: "" },
        ...{ input_type_shape: [{ float: [1, 3, 8, 8] }], output_type_shape: [{ float: [1, 4, 8, 8] }] },
      };
      events.push(event("Node", `${node}_fence_before`, at, 0, { op_name: type }));
      events.push(event("Node", `${node}_kernel_time`, at, dur, args));
      events.push(event("Node", `${node}_fence_after`, at + dur, 0, { op_name: type }));
      at += dur + 1;
    }
    events.push(event("Session", "SequentialExecutor::Execute", start, at - start, {}));
    events.push(event("Session", "model_run", start, at - start, {}));
    at += 10;
  }
  return `[\n${events.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;
}
