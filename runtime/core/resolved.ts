/** Options with every default filled in: all fields of `T` but those of `Base`, present and writable. */
export type Resolved<T, Base = unknown> = {
  -readonly [K in Exclude<keyof T, keyof Base>]-?: Exclude<T[K], undefined>;
};
