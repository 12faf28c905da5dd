/**
 * Tables of the store, as migrations. Opening an older store migrates it. Never change a migration; append a new one.
 *
 * @module
 */

/** SQLite application ID of a Tacho store: "Tcho". */
export const APPLICATION_ID = 0x5463686f;

/** SQL of each version, starting with version 1. Times are in ms since 1970; `content` is packed JSON. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    started INTEGER NOT NULL,
    ended INTEGER,
    status TEXT NOT NULL CHECK (status IN ('running', 'complete', 'interrupted', 'failed')),
    message TEXT,
    scenario TEXT NOT NULL,
    script TEXT,
    args TEXT NOT NULL,
    cwd TEXT NOT NULL,
    seed INTEGER NOT NULL,
    baseline TEXT NOT NULL,
    variants INTEGER NOT NULL,
    failed INTEGER NOT NULL DEFAULT 0,
    resumed INTEGER NOT NULL DEFAULT 0,
    ips REAL,
    unit TEXT,
    best TEXT,
    best_speedup REAL,
    plan TEXT NOT NULL,
    adapter TEXT,
    driver TEXT,
    deno TEXT NOT NULL,
    tacho TEXT NOT NULL,
    git TEXT,
    lock_hash TEXT,
    environment TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_time ON runs (started, id);
  CREATE INDEX runs_by_scenario ON runs (scenario, started, id);
  CREATE INDEX runs_by_status ON runs (status);

  CREATE TABLE plans (sha256 TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
  CREATE TABLE sources (sha256 TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;

  -- The script and the local modules that it imports
  CREATE TABLE modules (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL REFERENCES sources (sha256),
    imports TEXT NOT NULL,
    names TEXT NOT NULL,
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;

  -- What a run measured so far; gone once its result is whole
  CREATE TABLE rounds (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    round INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (run, round)
  ) STRICT;
  CREATE TABLE notes (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('warm-up', 'failure')),
    arm TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (run, kind, arm)
  ) STRICT;
  CREATE TABLE losses (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    arm TEXT NOT NULL,
    first INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (run, arm, first)
  ) STRICT;

  -- What a climb expected of a setting before it was tried, and what came of it
  CREATE TABLE rungs (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    prediction TEXT NOT NULL,
    predicted INTEGER NOT NULL,
    outcome TEXT,
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE results (
    run TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    content BLOB NOT NULL
  ) STRICT;
  CREATE TABLE variants (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    readings TEXT NOT NULL,
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;

  -- The run that gates compare with
  CREATE TABLE baselines (
    scenario TEXT NOT NULL,
    adapter TEXT NOT NULL,
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    PRIMARY KEY (scenario, adapter)
  ) STRICT;
  `,
  `
  -- Complete trainings of \`seeds\`; deleted once the run has a complete result
  CREATE TABLE trainings (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    arm TEXT NOT NULL,
    seed INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (run, arm, seed)
  ) STRICT;
  `,
  `
  -- Results of programs that Tacho was attached to
  CREATE TABLE attached (
    id TEXT PRIMARY KEY,
    started INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    status INTEGER NOT NULL,
    command TEXT NOT NULL,
    cwd TEXT NOT NULL,
    adapter TEXT,
    tacho TEXT NOT NULL,
    deno TEXT NOT NULL,
    content BLOB NOT NULL
  ) STRICT;
  CREATE INDEX attached_by_time ON attached (started, id);
  `,
];

/** Store version that this Tacho reads and writes. */
export const STORE_VERSION = MIGRATIONS.length;
