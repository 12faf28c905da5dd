/**
 * The errors that users see. Each carries the exit status of the process that it ends (see README, "Exit status"), and
 * a message that names the place, the value, what was expected and the mend.
 *
 * @module
 */

/** Exit status by kind of end. */
export const ExitStatus = {
  ok: 0,
  gateFailed: 1,
  badInput: 2,
  device: 3,
  interrupted: 130,
} as const;

/** An error whose message is meant for the user; printed without a stack trace. */
export class TachoError extends Error {
  override name = "TachoError";

  constructor(message: string, readonly exitStatus: number, options?: ErrorOptions) {
    super(message, options);
  }
}

/** The scenario, a flag or a data file is wrong. Exit status 2. */
export class InputError extends TachoError {
  override name = "InputError";

  constructor(message: string, options?: ErrorOptions) {
    super(message, ExitStatus.badInput, options);
  }
}

/** No usable adapter, the device was lost, or the GPU refused a command. Exit status 3. */
export class DeviceError extends TachoError {
  override name = "DeviceError";

  constructor(message: string, options?: ErrorOptions) {
    super(message, ExitStatus.device, options);
  }
}

/** The user asked for the end. Exit status 130. */
export class InterruptedError extends TachoError {
  override name = "InterruptedError";

  constructor(message = "Interrupted", options?: ErrorOptions) {
    super(message, ExitStatus.interrupted, options);
  }
}
