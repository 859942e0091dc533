import { optional } from '../../../core/index.ts';
import { requestLimits } from '../request/request-limits.ts';
import type { ListRequest } from '../request/request.ts';
import type { Table } from '../table.ts';
import type { Tail } from './read-tail.ts';

const { pageLength } = requestLimits;

/** The order and the window of a list; from the end, the order is turned around. */
export function windowOf({ key }: Table, tail: Tail): Pick<ListRequest, 'sort' | 'limit' | 'offset'> {
  const limit = tail.limit ?? (tail.page === undefined ? undefined : pageLength);
  const offset =
    tail.offset ?? (tail.page === undefined ? undefined : (tail.page - 1) * (limit ?? pageLength));
  const order =
    tail.sort ??
    (tail.isLast === true ? key.map(({ name }) => ({ field: name, direction: 'up' as const })) : undefined);
  const sort =
    tail.isLast === true
      ? order?.map(({ field, direction }) => ({
          field,
          direction: direction === 'up' ? ('down' as const) : ('up' as const),
        }))
      : order;
  return {
    ...optional('sort', sort),
    ...optional('limit', limit),
    ...(offset === undefined || offset === 0 ? {} : { offset }),
  };
}
