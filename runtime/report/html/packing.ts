/** Records stored as columns. */
export interface PackedRows {
  readonly count: number;
  readonly columns: Readonly<Record<string, PackedColumn>>;
}

/** Column of numbers, or of distinct values and each row's index into them. */
type PackedColumn =
  | { readonly numbers: readonly (number | null)[] }
  | { readonly values: readonly unknown[]; readonly places: readonly number[] };

/** Packs plain records with equal keys, so that the page stores repeated values once. */
export function packRows<T extends object>(rows: readonly T[]): PackedRows {
  const keys = Object.keys(rows[0] ?? {}) as (keyof T & string)[];
  const columns = keys.map((key) => [key, packColumn(rows.map((row) => row[key]))] as const);
  return { count: rows.length, columns: Object.fromEntries(columns) };
}

/** Restores packed records. */
export function unpackRows<T extends object>({ count, columns }: PackedRows): T[] {
  const entries = Object.entries(columns);
  return Array.from({ length: count }, (_, i) => {
    const row: Record<string, unknown> = {};
    for (const [key, column] of entries) {
      row[key] = "numbers" in column ? column.numbers[i] : column.values[column.places[i]!];
    }
    return row as T;
  });
}

function packColumn(cells: readonly unknown[]): PackedColumn {
  if (cells.every((cell) => cell === null || typeof cell === "number")) return { numbers: cells };
  const known = new Map<string, number>();
  const values: unknown[] = [];
  const places = cells.map((cell) => {
    const key = JSON.stringify(cell);
    const place = known.get(key) ?? values.push(cell) - 1;
    known.set(key, place);
    return place;
  });
  return { values, places };
}
