import type { FieldType } from '../descriptor/definition.ts';
import type { Comparison, Measure } from './request.ts';

/** Returns the comparisons that are supported for a type. */
export function comparisonsOf(type: FieldType): readonly Comparison[] {
  if (!isOrdered(type)) return presence;
  if (type === 'boolean') return [...presence, ...sameness];
  const ordered: readonly Comparison[] = [...presence, ...sameness, ...order];
  return textTypes.has(type) ? [...ordered, ...parts] : ordered;
}

/** Whether a type's values are text that supports substring search. */
export function isTextType(type: FieldType): boolean {
  return textTypes.has(type);
}

/** Whether a type's values can be added up. */
export function isNumeric(type: FieldType): boolean {
  return type === 'integer' || type === 'bigint' || type === 'decimal';
}

/** Whether a minimum and maximum can be computed for a type. */
export function isMeasurable(type: FieldType): boolean {
  return isNumeric(type) || type === 'date' || type === 'datetime' || type === 'time';
}

/** Whether a measure is meaningful for a type. */
export function mayMeasure(measure: Measure, type: FieldType): boolean {
  return measure === 'sum' || measure === 'average' ? isNumeric(type) : isMeasurable(type);
}

/** Whether records can be sorted or grouped by a type's values. */
export function isOrdered(type: FieldType): boolean {
  return type !== 'json' && type !== 'array';
}

const presence: readonly Comparison[] = ['empty', 'not-empty'];
const sameness: readonly Comparison[] = ['equals', 'not-equals', 'in', 'not-in'];
const order: readonly Comparison[] = ['less', 'at-most', 'more', 'at-least', 'between'];
const parts: readonly Comparison[] = ['contains', 'not-contains', 'starts-with', 'ends-with'];
const textTypes: ReadonlySet<FieldType> = new Set(['string', 'text', 'email', 'url']);
