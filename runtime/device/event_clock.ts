import { InputError } from "../core/errors.ts";
import { clockTrack, sampleClock } from "./clock.ts";
import type { Device } from "./device.ts";
import type { BufferRange } from "./readback.ts";

/** Size of a place in bytes. Resolved queries have this alignment, and each event resolves its own query. */
const PLACE_BYTES = 256;
/** Number of places in a buffer. */
const PLACES = 1024;

/** A timestamp that the device will write. */
export interface Recording {
  /** Index over all buffers. */
  readonly place: number;
  /** Value at the place before, by which an old timestamp is known: an encoder that is never submitted writes nothing. */
  readonly before: bigint;
  /** Time on the device's clock, in ticks; null until it is read. */
  time: bigint | null;
}

/** Assigns places to recordings. A place is free again as soon as its timestamp has been read. */
class EventPlaces {
  /** Free places with their values; the last one is taken first. */
  readonly #free: Pick<Recording, "place" | "before">[] = [];
  readonly #unread = new Map<number, Recording>();
  #count = 0;

  /** Number of places so far, a multiple of {@linkcode PLACES}. */
  get count(): number {
    return this.#count;
  }

  /** Takes a place. If none is free, adds as many as a buffer has, which the caller creates. */
  take(): Recording {
    if (this.#free.length === 0) {
      for (let i = 1; i <= PLACES; i++) this.#free.push({ place: this.#count + PLACES - i, before: 0n });
      this.#count += PLACES;
    }
    const recording: Recording = { ...this.#free.pop()!, time: null };
    this.#unread.set(recording.place, recording);
    return recording;
  }

  /** Returns the places whose timestamps have not been read, in ascending order. */
  unread(): number[] {
    return [...this.#unread.keys()].sort((a, b) => a - b);
  }

  /** Sets the value read at a place. Does nothing if the device has not written it yet. */
  set(place: number, value: bigint): void {
    const recording = this.#unread.get(place);
    if (recording === undefined || value === 0n || value === recording.before) return;
    recording.time = value;
    this.#unread.delete(place);
    this.#free.push({ place, before: value });
  }
}

/** Queries that records use in turn. Each is resolved by the command after its pass, so any number would do. */
const QUERIES = 64;
/** Maximum number of buffers of unread timestamps: 65,536 events, 16 MiB. */
const MAX_BUFFERS = 64;

const clocks = new WeakMap<Device, EventClock>();

/** Returns the event clock of a device with timestamps. Query sets are scarce on some back ends, so there is one for each. */
export function eventClock(device: Device): EventClock {
  let clock = clocks.get(device);
  if (clock === undefined) clocks.set(device, clock = new EventClock(device));
  return clock;
}

/**
 * Writes timestamps of events on a device and reads them later. A record is an empty timed pass followed by a copy of its
 * query, so that no query is read that the device has not written: on Vulkan that would wait forever.
 */
export class EventClock {
  readonly #device: Device;
  readonly #querySet: GPUQuerySet;
  readonly #places = new EventPlaces();
  readonly #buffers: GPUBuffer[] = [];
  #records = 0;
  /** Rate of the device's clock, calibrated by the first read. */
  #nsPerTick = 1;
  #reading: Promise<void> | null = null;

  constructor(device: Device) {
    this.#device = device;
    this.#querySet = device.gpu.createQuerySet({ label: "events", type: "timestamp", count: QUERIES });
  }

  /** Writes the time at which the device has done everything encoded or submitted before. */
  record(target: GPUCommandEncoder | GPUQueue): Recording {
    const recording = this.#places.take();
    if (this.#places.count > this.#buffers.length * PLACES) this.#addBuffer();
    if ("submit" in target) {
      const encoder = this.#device.gpu.createCommandEncoder({ label: "event" });
      this.#encode(encoder, recording);
      target.submit([encoder.finish()]);
    } else this.#encode(target, recording);
    return recording;
  }

  /**
   * Reads the timestamps of all events recorded so far, with one readback for all calls of a turn of the event loop. Waits
   * for the device.
   *
   * @throws {DeviceError} if the device was lost or refused a command
   */
  read(): Promise<void> {
    return this.#reading ??= Promise.resolve().then(() => {
      this.#reading = null;
      return this.#read();
    });
  }

  /** Converts ticks to ms. */
  toMs(ticks: bigint): number {
    return Number(ticks) * this.#nsPerTick / 1e6;
  }

  #encode(encoder: GPUCommandEncoder, { place }: Recording): void {
    const [querySet, query] = [this.#querySet, this.#records++ % QUERIES];
    encoder.beginComputePass({ label: "event", timestampWrites: { querySet, endOfPassWriteIndex: query } }).end();
    const buffer = this.#buffers[Math.floor(place / PLACES)]!;
    encoder.resolveQuerySet(querySet, query, 1, buffer, (place % PLACES) * PLACE_BYTES);
  }

  #addBuffer(): void {
    if (this.#buffers.length === MAX_BUFFERS) {
      throw new InputError(
        `record: ${MAX_BUFFERS * PLACES} events were recorded and none of them read; call elapsed() now and then`,
      );
    }
    const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
    this.#buffers.push(this.#device.buffer("events", PLACES * PLACE_BYTES, usage));
  }

  async #read(): Promise<void> {
    const unread = [...Map.groupBy(this.#places.unread(), (place) => Math.floor(place / PLACES))];
    if (unread.length === 0) return;
    const ranges = unread.map(([index, places]): BufferRange => {
      const [first, last] = [places[0]! % PLACES, places.at(-1)! % PLACES];
      return { buffer: this.#buffers[index]!, offset: first * PLACE_BYTES, size: (last - first) * PLACE_BYTES + 8 };
    });
    const bytes = await this.#device.read(ranges);
    unread.forEach(([, places], i) => {
      const values = new DataView(bytes[i]!);
      for (const place of places) {
        this.#places.set(place, values.getBigUint64((place - places[0]!) * PLACE_BYTES, true));
      }
    });
    const track = await clockTrack(this.#device);
    if (track.nsPerTick !== 1) await sampleClock(this.#device); // more time between samples gives a better rate
    this.#nsPerTick = track.nsPerTick;
  }
}
