import { optional, type Output } from '../../../core/index.ts';
import type { TableContext } from '../table-context.ts';
import { isNumeric } from '../request/conditions.ts';
import type { GroupRequest } from '../request/request.ts';
import { labelOf } from '../show/text.ts';
import { presentValues } from '../show/values.ts';
import { recordValues } from '../show/values.ts';
import { showGrid } from '../show/rows.ts';
import { measureText } from './report-measure.ts';

const maxGroups = 1_000; // The default limit on the number of groups, the same as the limit for a list.

/** Reports a count or other measure for each value of a field. */
export async function reportGroups(context: TableContext, request: GroupRequest): Promise<Output> {
  const { table, records } = context;
  const { groups, total } = await records.group({ limit: maxGroups, ...request });
  const by = table.find(request.by);
  const field = request.field === undefined ? undefined : table.find(request.field);
  const values =
    by === undefined
      ? groups.map(({ value }) => JSON.stringify(value))
      : await presentValues(
          context,
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
    measureText(context, field, request.measure, result),
  ]);
  const tail =
    groups.length < total ? `${groups.length} of ${total.toLocaleString('en')} groups.` : `${total} groups.`;
  const text =
    groups.length === 0 ? `${table.name} has no records to group.` : `${showGrid(columns, rows)}\n${tail}`;
  const { measure } = request;
  const { records: shown, ...cut } = recordValues(groups.map(({ value, result }) => ({ value, result })));
  return {
    status: 'done',
    text,
    value: {
      operation: 'group',
      by: request.by,
      measure,
      ...optional('field', request.field),
      groups: shown,
      ...cut,
      total,
    },
  };
}
