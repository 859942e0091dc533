import type { Json } from '../../../core/index.ts';
import type { Comparison, Condition } from '../request/request.ts';
import type { TableClock, Table } from '../table.ts';
import { showValue } from '../values/show-value.ts';
import { cutText } from './cut-text.ts';
import { labelOf } from './label-of.ts';

const longestValue = 60; // The maximum number of characters per value.
const maxValues = 5;

/** Describes a condition in words, such as "status is faulty and price is over 10". */
export function showCondition(table: Pick<Table, 'find'>, condition: Condition, clock: TableClock): string {
  return spoken(condition, false);

  function spoken(part: Condition, isInner: boolean): string {
    if ('all' in part) return joined(part.all, ' and ', isInner);
    if ('any' in part) return joined(part.any, ' or ', isInner);
    if ('not' in part) return `not (${spoken(part.not, false)})`;
    const field = table.find(part.field);
    const label = field === undefined ? part.field : labelOf(field);
    const valueText = (value: Json): string =>
      cutText(field === undefined ? JSON.stringify(value) : showValue(field, value, clock), longestValue);
    return `${label} ${verbs[part.is]}${valuesIn(part.value, part.is, valueText)}`;
  }

  function joined(parts: readonly Condition[], separator: string, isInner: boolean): string {
    if (parts.length === 0) return separator === ' and ' ? 'anything' : 'nothing';
    const text = parts.map((part) => spoken(part, true)).join(separator);
    return isInner && parts.length > 1 ? `(${text})` : text;
  }
}

const verbs: Readonly<Record<Comparison, string>> = {
  equals: 'is',
  'not-equals': 'is not',
  less: 'is under',
  'at-most': 'is at most',
  more: 'is over',
  'at-least': 'is at least',
  between: 'is between',
  in: 'is one of',
  'not-in': 'is none of',
  contains: 'contains',
  'not-contains': 'does not contain',
  'starts-with': 'starts with',
  'ends-with': 'ends with',
  empty: 'is empty',
  'not-empty': 'is not empty',
};

function valuesIn(value: Json | undefined, is: Comparison, show: (value: Json) => string): string {
  if (is === 'empty' || is === 'not-empty') return '';
  if (!Array.isArray(value) || (is !== 'between' && is !== 'in' && is !== 'not-in'))
    return ` ${show(value ?? null)}`;
  if (is === 'between') return ` ${value.map(show).join(' and ')}`;
  const more = value.length > maxValues ? `, and ${value.length - maxValues} more` : '';
  return ` ${value.slice(0, maxValues).map(show).join(', ')}${more}`;
}
