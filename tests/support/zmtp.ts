/**
 * A client of the ZeroMQ message transport protocol, as far as Jupyter's kernels need it.
 * Format: "ZMTP 3.0", https://rfc.zeromq.org/spec/23/, with the NULL mechanism.
 *
 * @module
 */

const encoder = new TextEncoder();

/** Bits of a frame's first byte. */
const Flag = { more: 1, long: 2, command: 4 } as const;

/** A socket that is connected to one peer. */
export class ZmtpSocket {
  readonly #connection: Deno.TcpConn;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects as a `DEALER`, or as a `SUB` that subscribes to everything. */
  static async connect(type: "DEALER" | "SUB", port: number): Promise<ZmtpSocket> {
    const socket = new ZmtpSocket(await Deno.connect({ hostname: "127.0.0.1", port }));
    const greeting = new Uint8Array(64);
    greeting.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]);
    greeting.set(encoder.encode("NULL"), 12);
    await socket.#write(greeting);
    await socket.#read(64);
    const property = (
      name: string,
      value: string,
    ) => [name.length, ...encoder.encode(name), 0, 0, 0, value.length, ...encoder.encode(value)];
    const ready = [5, ...encoder.encode("READY"), ...property("Socket-Type", type), ...property("Identity", "")];
    await socket.#write(new Uint8Array([Flag.command, ready.length, ...ready]));
    await socket.#readFrame(); // the peer's READY
    if (type === "SUB") await socket.send([new Uint8Array([1])]);
    return socket;
  }

  /** Sends a message of several frames. */
  async send(frames: readonly Uint8Array[]): Promise<void> {
    for (const [i, frame] of frames.entries()) {
      const more = i < frames.length - 1 ? Flag.more : 0;
      const head = new Uint8Array(9);
      head[0] = more | Flag.long;
      new DataView(head.buffer).setBigUint64(1, BigInt(frame.length));
      await this.#write(head);
      await this.#write(frame);
    }
  }

  /** Receives the frames of the next message; null once the connection is closed. */
  async receive(): Promise<Uint8Array[] | null> {
    const frames: Uint8Array[] = [];
    for (;;) {
      const frame = await this.#readFrame();
      if (frame === null) return null;
      if (frame.flags & Flag.command) continue;
      frames.push(frame.body);
      if (!(frame.flags & Flag.more)) return frames;
    }
  }

  close(): void {
    this.#connection.close();
  }

  async #readFrame(): Promise<{ flags: number; body: Uint8Array } | null> {
    const first = await this.#read(1);
    if (first === null) return null;
    const flags = first[0]!;
    const size = await this.#read(flags & Flag.long ? 8 : 1);
    if (size === null) return null;
    const length = flags & Flag.long ? Number(new DataView(size.buffer).getBigUint64(0)) : size[0]!;
    const body = await this.#read(length);
    return body === null ? null : { flags, body };
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) sent += await this.#connection.write(bytes.subarray(sent));
  }

  async #read(count: number): Promise<Uint8Array | null> {
    const bytes = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      const read = await this.#connection.read(bytes.subarray(filled)).catch(() => null);
      if (read === null) return null;
      filled += read;
    }
    return bytes;
  }
}
