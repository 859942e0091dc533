import type { AssignedColumn } from './assign-columns.ts';
import { compileSql } from './compile-sql.ts';
import type { Ground } from './ground.ts';
import { isUniqueAlready } from './is-unique-already.ts';
import { planId, type Plan } from './plan.ts';
import { readDoubles } from './read-doubles.ts';
import { createIndex } from './table-statements.ts';

/** Fields that are unique from now on, although records have the same value in them. */
export async function planUniques(ground: Ground): Promise<readonly Plan[]> {
  const { existing, columns } = ground;
  if (existing === undefined || existing.isView) return [];
  const wanted = columns.filter(
    ({ field, name, existing: column }) =>
      column !== undefined &&
      field.unique === true &&
      field.key === undefined &&
      !isUniqueAlready(existing, name),
  );
  const plans: Plan[] = [];
  for (const column of wanted) plans.push(...(await planUnique(ground, column)));
  return plans;
}

async function planUnique({ place, name, table }: Ground, column: AssignedColumn): Promise<readonly Plan[]> {
  const { total, some } = await readDoubles(place, name, [column.name]);
  if (total === 0) return [];
  const { field } = column;
  return [
    {
      proposal: {
        id: planId('unique', table.name, field.name),
        kind: 'unique',
        text: `"${field.name}" is unique in the file, but several records have the same value: ${some.join(', ')}.`,
        sql: [compileSql(place.kind, createIndex(place.kind, name, column.name, 'unique', false)).sql],
        values: total,
        unfit: some,
        losesData: false,
        obstacle: 'Give these records values of their own first, or take "Unique" out of the file.',
      },
      isBlocking: true,
      apply: () => Promise.resolve(),
      record: (before) => before,
    },
  ];
}
