import { sqlName } from './sql-name.ts';

/** Finds an item by name: an exact match or, if there is none, the only match in another spelling. */
export function matchName<Named>(
  items: readonly Named[],
  name: string,
  nameOf: (item: Named) => string,
): Named | undefined {
  const normalised = sqlName(name);
  const exact =
    items.find((item) => nameOf(item) === name) ?? items.find((item) => nameOf(item) === normalised);
  if (exact !== undefined) return exact;
  const alike = items.filter((item) => sqlName(nameOf(item)) === normalised);
  return alike.length === 1 ? alike[0] : undefined;
}
