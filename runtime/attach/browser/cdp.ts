import { ExitStatus, TachoError } from "../../core/errors.ts";

/** Parameters and results of methods and events: plain data. */
export type CdpData = Readonly<Record<string, unknown>>;

/** An event of a target. */
export interface CdpEvent {
  readonly method: string;
  readonly params: CdpData;
  /** Session of the target; empty for the browser. */
  readonly session: string;
}

/** The browser has closed the connection. */
export class ConnectionClosed extends TachoError {
  override name = "ConnectionClosed";

  constructor() {
    super("The browser closed its connection: it ended or crashed", ExitStatus.device);
  }
}

/** A message of the browser: an event, or the answer to a call. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: CdpData;
  readonly sessionId?: string;
  readonly result?: CdpData;
  readonly error?: { readonly message: string };
}

/** Connection to a browser by the Chrome DevTools Protocol, with sessions of several targets. */
export class CdpConnection {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, PromiseWithResolvers<CdpData>>();
  readonly #listener: (event: CdpEvent) => void;
  readonly #closed = Promise.withResolvers<void>();
  #next = 1;

  private constructor(socket: WebSocket, listener: (event: CdpEvent) => void) {
    this.#socket = socket;
    this.#listener = listener;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)) as Message);
    socket.onclose = () => {
      for (const { reject } of this.#pending.values()) reject(new ConnectionClosed());
      this.#pending.clear();
      this.#closed.resolve();
    };
  }

  /**
   * Connects to a browser or one of its targets.
   *
   * @param listener called with each event, in order
   * @throws {Error} if nothing answers there
   */
  static async open(url: string, listener: (event: CdpEvent) => void): Promise<CdpConnection> {
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = (event) => reject(new Error((event as ErrorEvent).message || "no connection"));
    });
    socket.onerror = () => {}; // onclose follows
    return new CdpConnection(socket, listener);
  }

  /** Resolves when the connection has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /**
   * Calls a method of a target.
   *
   * @param session session of the target; empty for the browser
   * @throws {ConnectionClosed} if the connection ends first
   * @throws {Error} if the browser refuses
   */
  send(method: string, params: CdpData = {}, session = ""): Promise<CdpData> {
    const answer = Promise.withResolvers<CdpData>();
    if (this.#socket.readyState !== WebSocket.OPEN) {
      answer.reject(new ConnectionClosed());
      return answer.promise;
    }
    const id = this.#next++;
    this.#pending.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params, ...session === "" ? {} : { sessionId: session } }));
    return answer.promise;
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close();
    await this.#closed.promise;
  }

  #take({ id, method, params = {}, sessionId: session = "", result = {}, error }: Message): void {
    if (id === undefined) return this.#listener({ method: method ?? "", params, session });
    const answer = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(error.message));
  }
}
