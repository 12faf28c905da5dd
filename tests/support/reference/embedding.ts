import { type Tape, Value } from "./value.ts";

/** Returns the rows of a table `[rows, width]` that indices `[...]` name: `[..., width]`. */
export function lookUp(tape: Tape, table: Value, indices: Value): Value {
  const width = table.shape[1]!;
  const y = Value.zeros([...indices.shape, width]);
  indices.data.forEach((row, i) => y.data.set(table.data.subarray(row * width, (row + 1) * width), i * width));
  tape.record(() => {
    indices.data.forEach((row, i) => {
      for (let k = 0; k < width; k++) table.grad[row * width + k]! += y.grad[i * width + k]!;
    });
  });
  return y;
}
