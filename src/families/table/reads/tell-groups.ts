import { optional, type Output } from '../../../core/index.ts';
import type { Ground } from '../ground.ts';
import { isNumeric } from '../request/comparisons-of.ts';
import type { GroupRequest } from '../request/request.ts';
import { labelOf } from '../show/label-of.ts';
import { presentValues } from '../show/present-values.ts';
import { recordValues } from '../show/record-values.ts';
import { showGrid } from '../show/show-grid.ts';
import { measureText } from './tell-measure.ts';

const mostGroups = 1_000; // unless said; no more than of a list

/** A number for each value of a field. */
export async function tellGroups(ground: Ground, request: GroupRequest): Promise<Output> {
  const { table, records } = ground;
  const { groups, total } = await records.group({ limit: mostGroups, ...request });
  const by = table.find(request.by);
  const field = request.field === undefined ? undefined : table.find(request.field);
  const values =
    by === undefined
      ? groups.map(({ value }) => JSON.stringify(value))
      : await presentValues(
          ground,
          by,
          groups.map(({ value }) => ({ [by.name]: value })),
        );
  const heading = field === undefined ? 'count' : `${request.measure} of ${labelOf(field)}`;
  const columns = [
    {
      label: by === undefined ? request.by : labelOf(by),
      align: by !== undefined && isNumeric(by.type) ? 'right' : 'left',
    },
    { label: heading, align: 'right' },
  ] as const;
  const rows = groups.map(({ result }, index) => [
    values[index] ?? '',
    measureText(ground, field, request.measure, result),
  ]);
  const tail =
    groups.length < total ? `${groups.length} of ${total.toLocaleString('en')} groups.` : `${total} groups.`;
  const text =
    groups.length === 0
      ? `There is no record of ${table.name} to group.`
      : `${showGrid(columns, rows)}\n${tail}`;
  const { measure } = request;
  const { records: told, ...cut } = recordValues(groups.map(({ value, result }) => ({ value, result })));
  return {
    status: 'done',
    text,
    value: {
      operation: 'group',
      by: request.by,
      measure,
      ...optional('field', request.field),
      groups: told,
      ...cut,
      total,
    },
  };
}
