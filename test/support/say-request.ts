import type { Json, JsonObject } from '../../src/core/json.ts';
import type { TableRequest } from '../../src/families/table/request/request.ts';
import type { Comparison, Condition } from '../../src/engines/conditions/conditions.ts';

/** Phrases a table request in plain words. `choice` selects among synonyms. */
export function sayRequest(request: TableRequest, choice: number): string {
  switch (request.operation) {
    case 'list': {
      const { fields, where, sort, limit, offset } = request;
      const columns = fields === undefined ? 'equipment' : `${fields.join(', ')} of equipment`;
      const order = sort?.map(({ field, direction }) => `${field} ${direction}`).join(', ');
      const parts = [`${pick(['list', 'show all', 'display'], choice)} ${columns}`, sayWhere(where, choice)];
      parts.push(order === undefined ? '' : `${pick(['sort by', 'ordered by'], choice)} ${order}`);
      parts.push(limit === undefined ? '' : `${pick(['limit', 'first'], choice)} ${limit}`);
      parts.push(offset === undefined ? '' : `${pick(['skip', 'offset'], choice)} ${offset}`);
      return parts.filter((part) => part !== '').join(' ');
    }
    case 'show':
      return `show equipment ${sayWhere(request.where, choice)}`;
    case 'count':
      return `${pick(['count', 'how many', 'number of'], choice)} equipment ${sayWhere(request.where, choice)}`;
    case 'group': {
      const { measure, field, by, where, direction, limit } = request;
      const what = field === undefined ? 'count equipment' : `${measure} of ${field} of equipment`;
      const order = direction === undefined ? '' : ` ${direction === 'up' ? 'ascending' : 'descending'}`;
      const first = limit === undefined ? '' : ` first ${limit}`;
      return `${what} ${sayWhere(where, choice)} ${pick(['by', 'per', 'grouped by'], choice)} ${by}${first}${order}`;
    }
    case 'add':
      return `${pick(['add', 'create a new', 'insert'], choice)} equipment ${saySet(request.records[0] ?? {})}`;
    case 'update':
      return `set ${saySet(request.set)} ${sayTarget(request, choice)}`;
    case 'delete':
      return `${pick(['delete', 'remove', 'erase'], choice)} ${sayTarget(request, choice).replace(/^for /, '') || 'equipment'}`;
    default:
      if (!('field' in request)) return request.operation;
      return `${request.operation} of ${request.field} ${sayWhere(request.where, choice)}`;
  }
}

function sayTarget(
  { where, many }: { readonly where?: Condition; readonly many?: true },
  choice: number,
): string {
  if (where === undefined) return many === undefined ? '' : 'for all equipment';
  return `for equipment ${sayWhere(where, choice)}`;
}

function saySet(set: JsonObject): string {
  return Object.entries(set)
    .map(([name, value]) => `${name} = ${sayValue(value)}`)
    .join(', ');
}

function sayWhere(where: Condition | undefined, choice: number): string {
  return where === undefined ? '' : `where ${sayCondition(where, choice)}`;
}

/** Phrases a condition in plain words. `choice` selects among synonyms. */
export function sayCondition(condition: Condition, choice: number): string {
  if ('all' in condition) return condition.all.map((one) => bracketed(one, choice)).join(' and ');
  if ('any' in condition) return condition.any.map((one) => bracketed(one, choice)).join(' or ');
  if ('not' in condition) return `not ${bracketed(condition.not, choice)}`;
  const { field, is, value = null } = condition;
  const values = Array.isArray(value) ? value.map((one: Json) => sayValue(one)) : [];
  if (is === 'between') return `${field} between ${values.join(' and ')}`;
  if (is === 'in' || is === 'not-in') return `${field} ${pick(verbs[is], choice)} (${values.join(', ')})`;
  const verb = pick(verbs[is], choice);
  return is === 'empty' || is === 'not-empty' ? `${field} ${verb}` : `${field} ${verb} ${sayValue(value)}`;
}

function bracketed(condition: Condition, choice: number): string {
  const text = sayCondition(condition, choice);
  return 'all' in condition || 'any' in condition ? `(${text})` : text;
}

const verbs: Readonly<Record<Comparison, readonly string[]>> = {
  equals: ['is', '=', 'equals'],
  'not-equals': ['is not', '!=', '<>', "isn't"],
  less: ['<', 'is under', 'below', 'is less than'],
  'at-most': ['<=', 'at most', 'is no more than'],
  more: ['>', 'over', 'is above', 'greater than'],
  'at-least': ['>=', 'at least', 'is no less than'],
  between: ['between'],
  in: ['in', 'is one of', 'is in'],
  'not-in': ['not in', 'is not in', 'is neither'],
  contains: ['contains', 'includes'],
  'not-contains': ['does not contain', "doesn't include"],
  'starts-with': ['starts with', 'begins with'],
  'ends-with': ['ends with'],
  empty: ['is empty', '= null', 'is not set'],
  'not-empty': ['is not empty', '!= null', 'is set'],
};

function sayValue(value: Json): string {
  if (value === null) return 'null';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean'
    ? text
    : `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

function pick<Item>(list: readonly Item[], choice: number): Item {
  return list[choice % list.length]!;
}
