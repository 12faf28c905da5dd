/** A store with runs, and answers of the server about it. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { answer } from "../../runtime/serve/handler.ts";
import { KeptRuns } from "../../runtime/serve/kept_runs.ts";
import type { RunsPayload } from "../../runtime/serve/payloads.ts";
import { ResultChecks } from "../../runtime/serve/result_checks.ts";
import { openStore, type Store } from "../../runtime/store/store.ts";

/** The server's answers without a network, and a store that another process would write. */
export class Served implements AsyncDisposable {
  readonly folder: string;
  /** Writes the store; the server reads it with a connection of its own. */
  readonly store: Store;
  readonly #runs: KeptRuns;
  readonly #checks: ResultChecks;

  constructor(folder: string) {
    this.folder = folder;
    this.store = openStore(folder);
    this.#runs = new KeptRuns(folder);
    this.#checks = new ResultChecks(this.#runs);
  }

  static async make(): Promise<Served> {
    return new Served(await Deno.makeTempDir({ prefix: "tacho-serve-" }));
  }

  get(path: string, init: RequestInit = {}, host = "127.0.0.1:8224"): Response {
    const request = new Request(`http://${host}${path}`, { ...init, headers: { host, ...init.headers } });
    return answer({ runs: this.#runs, checks: this.#checks }, request);
  }

  async json<T>(path: string, status = 200): Promise<T> {
    const response = this.get(path);
    const text = await response.text();
    assert.equal(response.status, status, text);
    return JSON.parse(text) as T;
  }

  async list(version = ""): Promise<RunsPayload | null> {
    const response = this.get(`/api/runs?version=${encodeURIComponent(version)}`);
    return response.status === 204 ? null : await response.json() as RunsPayload;
  }

  /** Runs SQL on the store, as damage or a stranger would. */
  sql(statement: string, ...values: (string | Uint8Array)[]): void {
    const db = new DatabaseSync(this.store.file);
    db.prepare(statement).run(...values);
    db.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#checks[Symbol.dispose]();
    this.#runs[Symbol.dispose]();
    this.store.close();
    await Deno.remove(this.folder, { recursive: true });
  }
}
