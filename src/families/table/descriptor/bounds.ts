import { optional, type Issue } from '../../../core/index.ts';
import { isNumeric } from '../request/comparisons-of.ts';
import type { AttributeKey, Attributes } from './attributes.ts';
import type { Prose, TableField } from './definition.ts';
import type { DeclaredType } from './field-types.ts';
import { createIssue } from './create-issue.ts';
import { numberIn, plainValue } from './values.ts';

/** Reads `Max` and `Min`. For numbers, they limit the value; for other types, the length. */
export function readBounds(
  attributes: Attributes,
  declared: DeclaredType | undefined,
  issues: Issue[],
): Pick<TableField, 'minLength' | 'maxLength' | 'minimum' | 'maximum'> {
  const isNumber = declared !== undefined && isNumeric(declared.type);
  const read = (key: AttributeKey, isLength: boolean): number | undefined =>
    bound(attributes.get(key), isLength, issues);
  const max = read('max', !isNumber);
  const min = read('min', !isNumber);
  const maxLength = read('maxLength', true) ?? (isNumber ? undefined : max) ?? declared?.maxLength;
  const minLength = read('minLength', true) ?? (isNumber ? undefined : min);
  const minimum = isNumber ? min : undefined;
  const maximum = isNumber ? max : undefined;
  if (isMore(minLength, maxLength) || isMore(minimum, maximum)) {
    const line = (attributes.get('min') ?? attributes.get('minLength'))?.line ?? 1;
    issues.push(
      createIssue('table.bounds', 'The minimum is greater than the maximum, so no value is valid.', line),
    );
  }
  return {
    ...optional('minLength', minLength),
    ...optional('maxLength', maxLength),
    ...optional('minimum', minimum),
    ...optional('maximum', maximum),
  };
}

function bound(written: Prose | undefined, isLength: boolean, issues: Issue[]): number | undefined {
  if (written === undefined) return undefined;
  const value = numberIn(written.text);
  if (value !== undefined && (!isLength || (Number.isInteger(value) && value >= 0))) return value;
  const expected = isLength ? 'a length' : 'a number';
  issues.push(
    createIssue(
      'table.number',
      `"${plainValue(written.text)}" is not ${expected} and is ignored.`,
      written.line,
    ),
  );
  return undefined;
}

function isMore(least: number | undefined, most: number | undefined): boolean {
  return least !== undefined && most !== undefined && least > most;
}
