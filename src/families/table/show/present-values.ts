import type { Ground } from '../ground.ts';
import type { Field, TableRow } from '../table.ts';
import { showValue } from '../values/show-value.ts';

/** What is needed to show records to people. */
export type ShowGround = Pick<Ground, 'prose' | 'clock'>;

/** The values of one field in these records, for people: as its presenter has them, where there is one. */
export async function presentValues(
  { prose, clock }: ShowGround,
  field: Field,
  rows: readonly TableRow[],
): Promise<readonly string[]> {
  const plain = rows.map((row) => showValue(field, row[field.name] ?? null, clock));
  if (!prose.has('present', field.name)) return plain;
  const given = [...rows.keys()].filter((index) => (rows[index]?.[field.name] ?? null) !== null);
  const cases = given.map((index) => {
    const record = rows[index] ?? {};
    return { value: record[field.name] ?? null, record };
  });
  const made = await prose.run('present', field.name, cases);
  const shown = new Map(given.map((index, place) => [index, made[place]]));
  return plain.map((text, index) => {
    const presented = shown.get(index);
    return typeof presented === 'string' && presented !== '' ? presented : text;
  });
}
