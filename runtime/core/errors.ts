/**
 * Errors that users see. Each carries the exit status of the process it ends, and a message that names the place, the
 * value, what was expected and the fix.
 *
 * @module
 */

/** Exit status of a process, by how it ended. */
export const ExitStatus = {
  ok: 0,
  gateFailed: 1,
  badInput: 2,
  device: 3,
  rank: 4,
  /** EX_SOFTWARE of sysexits.h. */
  unexpected: 70,
  /** EX_IOERR of sysexits.h. */
  output: 74,
  interrupted: 130,
} as const;

/** Meaning of each exit status, for `--help` and the reference. */
export const EXIT_STATUS_MEANINGS: readonly { readonly status: number; readonly meaning: string }[] = [
  { status: ExitStatus.ok, meaning: "done" },
  { status: ExitStatus.gateFailed, meaning: "a gate failed, or a repeated run does not agree" },
  { status: ExitStatus.badInput, meaning: "bad input: the scenario, a flag, a setting or a data file" },
  { status: ExitStatus.device, meaning: "no usable adapter, a missing feature, or a lost device" },
  { status: ExitStatus.rank, meaning: "another rank has stopped, does not answer, or MPI failed" },
  { status: ExitStatus.unexpected, meaning: "unexpected error: a bug in the script or in Tacho" },
  { status: ExitStatus.output, meaning: "done, but stdout was full or closed and its text is incomplete" },
  { status: ExitStatus.interrupted, meaning: "interrupted; prints what was measured so far" },
];

/** An error whose message is meant for the user; printed without a stack trace. */
export class TachoError extends Error {
  /** Name of the class. */
  override name = "TachoError";

  /** Exit status of the process if the error ends it. */
  readonly exitStatus: number;

  /** Creates an error. */
  constructor(message: string, exitStatus: number, options?: ErrorOptions) {
    super(message, options);
    this.exitStatus = exitStatus;
  }
}

/** The scenario, a flag or a data file is wrong. Exit status 2. */
export class InputError extends TachoError {
  /** Name of the class. */
  override name = "InputError";

  /** Creates an error with a message for the user. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, ExitStatus.badInput, options);
  }
}

/** No usable adapter, the device was lost, or the GPU refused a command. Exit status 3. */
export class DeviceError extends TachoError {
  /** Name of the class. */
  override name = "DeviceError";

  /** Creates an error with a message for the user. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, ExitStatus.device, options);
  }
}

/** The device has no memory left. Exit status 3. */
export class DeviceMemoryError extends DeviceError {
  /** Name of the class. */
  override name = "DeviceMemoryError";

  /** Event that used up the memory, without a period. */
  readonly event: string;

  /** Creates an error whose message also says what to change. */
  constructor(event: string, options?: ErrorOptions) {
    super(
      `${event}. Lower loader.batchSize or sink, pick fewer --variants, or close other programs that use the GPU`,
      options,
    );
    this.event = event;
  }
}

/** MPI cannot be used, or another rank of a distributed training has stopped. Exit status 4. */
export class ClusterError extends TachoError {
  /** Name of the class. */
  override name = "ClusterError";

  /** Creates an error with a message for the user. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, ExitStatus.rank, options);
  }
}

/** The user interrupted the run. Exit status 130. */
export class InterruptedError extends TachoError {
  /** Name of the class. */
  override name = "InterruptedError";

  /** Creates an error; the message is `Interrupted` by default. */
  constructor(message = "Interrupted", options?: ErrorOptions) {
    super(message, ExitStatus.interrupted, options);
  }
}
