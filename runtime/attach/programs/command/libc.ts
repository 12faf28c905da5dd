/**
 * Calls of Linux that Deno lacks: to wait for a process with its resources, to poll several files, and to open a terminal.
 * They block the thread, so that times are those of the call.
 *
 * @module
 */

const [PR_SET_CHILD_SUBREAPER, SYS_PIDFD_OPEN, WUNTRACED, WNOHANG] = [36, 434n, 2, 1];
const [POLLIN, O_RDWR, O_NOCTTY] = [1, 0o2, 0o400];

/** Clock of the processor time of a process, for `clock_gettime`. */
const processClock = (pid: number) => (~pid << 3) | 2;

const libc = Deno.dlopen("libc.so.6", {
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  wait4: { parameters: ["i32", "buffer", "i32", "buffer"], result: "i32" },
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
  syscall: { parameters: ["i64", "i64", "i64"], result: "i64" },
  clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  posix_openpt: { parameters: ["i32"], result: "i32" },
  grantpt: { parameters: ["i32"], result: "i32" },
  unlockpt: { parameters: ["i32"], result: "i32" },
  ptsname_r: { parameters: ["i32", "buffer", "usize"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
}).symbols;

/** Makes this process the parent of processes whose own parent ends. */
export function adoptOrphans(): void {
  libc.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n);
}

/** State of a child process. */
export type Waited =
  | { readonly state: "running" | "stopped" }
  | {
    readonly state: "ended";
    /** Exit status; 128 + the number of the signal that ended it. */
    readonly status: number;
    /** Processor time in ms and peak memory in bytes, of the process and of those that it waited for. */
    readonly user: number;
    readonly system: number;
    readonly memory: number;
  };

/** Waits until a child process ends or is stopped; with `block: false`, returns its state at once. */
export function waitFor(pid: number, { block }: { readonly block: boolean }): Waited {
  const status = new Int32Array(1);
  // Two times of seconds and microseconds, then the peak in KiB, and what is unused
  const usage = new BigInt64Array(18);
  const flags = WUNTRACED | (block ? 0 : WNOHANG);
  const found = libc.wait4(pid, new Uint8Array(status.buffer), flags, new Uint8Array(usage.buffer));
  if (found === 0) return { state: "running" };
  const word = status[0]!;
  if ((word & 0xff) === 0x7f) return { state: "stopped" };
  const [seconds, micros, systemSeconds, systemMicros, memory] = [...usage.subarray(0, 5)].map(Number);
  const signal = word & 0x7f;
  return {
    state: "ended",
    status: signal === 0 ? (word >> 8) & 0xff : 128 + signal,
    user: seconds! * 1000 + micros! / 1000,
    system: systemSeconds! * 1000 + systemMicros! / 1000,
    memory: memory! * 1024,
  };
}

/** Returns the processor time of a process so far, in ms; 0 if it has ended. */
export function cpuTime(pid: number): number {
  const time = new BigInt64Array(2);
  if (libc.clock_gettime(processClock(pid), new Uint8Array(time.buffer)) !== 0) return 0;
  return Number(time[0]!) * 1000 + Number(time[1]!) / 1e6;
}

/** A file that can be polled. */
export interface OpenFile extends Disposable {
  readonly fd: number;
}

function openFile(fd: number, what: string): OpenFile {
  if (fd < 0) throw new Error(`Cannot open ${what}`);
  return { fd, [Symbol.dispose]: () => void libc.close(fd) };
}

/** Opens a process, which is readable from its end on. */
export function openProcess(pid: number): OpenFile {
  return openFile(Number(libc.syscall(SYS_PIDFD_OPEN, BigInt(pid), 0n)), `process ${pid}`);
}

/** Waits until one of the files is readable or closed. Returns those that are; none after `timeout` ms. */
export function poll(files: readonly number[], timeout: number): number[] {
  const entries = new Int32Array(files.flatMap((fd) => [fd, POLLIN]));
  libc.poll(new Uint8Array(entries.buffer), BigInt(files.length), Math.min(Math.ceil(timeout), 2 ** 31 - 1));
  return files.filter((_, i) => entries[2 * i + 1]! >> 16 !== 0);
}

/** A terminal whose other end a program writes to. */
export interface Terminal extends OpenFile {
  /** Path of the end for the program. */
  readonly path: string;
  /** Returns the bytes that are there; blocks without any, and returns none once the program has closed it. */
  read(): Uint8Array;
}

export function openTerminal(): Terminal {
  const { fd, ...file } = openFile(libc.posix_openpt(O_RDWR | O_NOCTTY), "a terminal");
  libc.grantpt(fd);
  libc.unlockpt(fd);
  const name = new Uint8Array(64);
  libc.ptsname_r(fd, name, BigInt(name.length));
  const path = new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
  const bytes = new Uint8Array(64 * 1024);
  const read = () => bytes.subarray(0, Math.max(0, Number(libc.read(fd, bytes, BigInt(bytes.length)))));
  return { ...file, fd, path, read };
}
