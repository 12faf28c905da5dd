/**
 * Returns the entry of a table for a name from outside. The names that every object has, such as `constructor`, have none
 * unless the table has them itself.
 */
export function tableEntry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
