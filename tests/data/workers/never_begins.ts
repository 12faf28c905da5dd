/** A data worker that never gets to its first sample. */
for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
