import type { Condition } from '../../engines/conditions/conditions.ts';
import type { LocalClock } from '../../engines/values/calendar.ts';
import type { Table } from './table.ts';
import { readCondition } from './words/conditions.ts';

// Two different clocks. Text that has the same meaning with both does not depend on the time or time zone.
const clocks: readonly LocalClock[] = [
  { now: Date.UTC(2001, 1, 14, 10), zone: 'Pacific/Kiritimati' },
  { now: Date.UTC(2024, 8, 3, 22), zone: 'America/Los_Angeles' },
];

/**
 * Parses a rule as a condition, for example `if status is faulty`. Returns undefined if the rule is prose or
 * depends on the time. A text value must be quoted, contain a digit or be one of the field's listed values;
 * otherwise the rule is prose, as in `the name is unique`. Pure.
 */
export function readRule(table: Pick<Table, 'fields' | 'find'>, text: string): Condition | undefined {
  const words = plainText(text);
  const implied = readImplication(words);
  if (implied !== undefined) {
    const [when, then] = [read(table, implied.when), read(table, implied.then)];
    return when && then && { any: [{ not: when }, then] };
  }
  const [, lead = '', rest = ''] =
    /^(?:only\s+)?(?:(if|when|where|while|unless)\s+)?(.*)$/is.exec(words) ?? [];
  const condition = read(table, rest);
  return condition !== undefined && lead.toLowerCase() === 'unless' ? { not: condition } : condition;
}

/** Splits a text such as `if a, then b`. Returns undefined if it has another form. Takes linear time. */
function readImplication(words: string): { readonly when: string; readonly then: string } | undefined {
  const rest = /^if\s(.*)$/is.exec(words)?.[1]?.trim() ?? '';
  const found = /(?<=\s)then\s/i.exec(rest);
  if (found === null) return undefined;
  const when = rest.slice(0, found.index).trim().replace(/,$/, '');
  return { when, then: rest.slice(found.index + found[0].length).trim() };
}

/** Removes the backticks around text and a final full stop. */
function plainText(text: string): string {
  return text
    .trim()
    .replace(/^`([^`]+)`\.?$/, '$1')
    .replace(/\.$/, '')
    .trim();
}

function read(table: Pick<Table, 'fields' | 'find'>, words: string): Condition | undefined {
  if (words.trim() === '') return undefined;
  const readings = clocks.map((clock) => readCondition(table, words, clock));
  const [first] = readings;
  if (first === undefined || 'fault' in first) return undefined;
  const isOne = new Set(readings.map((reading) => JSON.stringify(reading))).size === 1;
  return isOne && isPlain(table, first.condition, words) ? first.condition : undefined;
}

/** Whether every text value in a condition is unambiguous. */
function isPlain(table: Pick<Table, 'fields' | 'find'>, condition: Condition, words: string): boolean {
  if ('all' in condition) return condition.all.every((one) => isPlain(table, one, words));
  if ('any' in condition) return condition.any.every((one) => isPlain(table, one, words));
  if ('not' in condition) return isPlain(table, condition.not, words);
  const { type, values } = table.find(condition.field) ?? {};
  if ((type !== 'string' && type !== 'text') || values !== undefined) return true;
  const texts = [condition.value ?? []].flat().filter((one) => typeof one === 'string');
  return texts.every((text) => /^\S*\d\S*$/.test(text) || isQuoted(text, words));
}

function isQuoted(text: string, words: string): boolean {
  return [`"${text}"`, `'${text}'`, `“${text}”`, `„${text}“`, `«${text}»`].some((one) => words.includes(one));
}
