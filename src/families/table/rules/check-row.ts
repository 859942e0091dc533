import { asText, quote, type Json } from '../../../core/index.ts';
import { fieldsIn } from '../../../engines/conditions/conditions.ts';
import { breaksRule, matches } from '../../../engines/conditions/matches.ts';
import { anyTime } from '../../../engines/values/calendar.ts';
import { createPatternTest, type TestPattern } from '../../../engines/values/patterns.ts';
import { valueTypes } from '../../../engines/values/types.ts';
import { readValue } from '../read-value.ts';
import { labelOf, type Field, type Table, type TableRow, type TableRows } from '../table.ts';

/** A problem with a record or one of its fields, as a user-facing message. */
interface RowFault {
  readonly field?: string;
  readonly message: string;
}

/**
 * Creates a function that checks records against the rules that need no generated code. For a changed record,
 * it checks only rules that involve a changed field. Potentially slow patterns are tested on all of `rows`
 * together.
 */
export function createRowCheck(
  table: Table,
  rows: TableRows,
): (row: TableRow, isChanged?: (field: string) => boolean) => readonly RowFault[] {
  const testPattern = createPatternTest((pattern) => {
    const names = table.fields.filter((field) => field.pattern === pattern).map(({ name }) => name);
    return rows.flatMap((row) => names.flatMap((name) => entriesOf(row[name] ?? []).map(asText)));
  });
  const fields = table.fields.map((field) => ({ field, requiredBy: fieldsIn(field.requiredIf) }));
  const rules = table.recordRules.map((rule) => ({ rule, about: fieldsIn(rule.holds) }));
  return (row, isChanged = () => true) => {
    const faults: RowFault[] = [];
    for (const { field, requiredBy } of fields) {
      const { name } = field;
      const value = row[name] ?? null;
      if (value === null) {
        const isLooked = isChanged(name) || requiredBy.some(isChanged);
        if (isLooked && isRequired(table, field, row))
          faults.push({ field: name, message: `${labelOf(field)} is required${whyOf(field)}.` });
      } else if (isChanged(name)) {
        const message = checkValue(field, value, testPattern);
        if (message !== undefined) faults.push({ field: name, message });
      }
    }
    for (const { rule, about } of rules) {
      if (about.some(isChanged) && breaksRule(table, rule.holds, row))
        faults.push({ message: `This rule is broken: ${rule.text}` });
    }
    return faults;
  };
}

/**
 * Whether a record must have a value for a field, according to the rules that need no generated code. A key
 * that the database generates is not required. Pure.
 */
export function isRequired(table: Table, field: Field, row: TableRow): boolean {
  if (field.key !== undefined) return field.key !== 'auto-increment';
  if (field.requiredWhen === undefined) return field.required === true;
  return field.requiredIf !== undefined && matches(table, field.requiredIf, row);
}

function whyOf({ requiredIf, requiredWhen }: Field): string {
  return requiredIf === undefined || requiredWhen === undefined
    ? ''
    : `: ${requiredWhen.text.replace(/\.$/, '')}`;
}

/** Says that a value is of the wrong type. Returns undefined if the type is right. */
export function typeFault(field: Field, value: Json): string | undefined {
  const { name, isStandard } = valueTypes[field.type];
  return value === null || isStandard(value) ? undefined : wrong(field, value, `is not ${name}`);
}

/** Checks a value against its field's rules. Returns a sentence about the first violation, if there is one. */
function checkValue(field: Field, value: Json, testPattern: TestPattern): string | undefined {
  const fault = typeFault(field, value) ?? listFault(field, value) ?? lengthFault(field, value);
  return fault ?? boundFault(field, value) ?? patternFault(field, value, testPattern);
}

function wrong(field: Field, value: Json, what: string): string {
  return `${labelOf(field)} ${quote(value)} ${what}.`;
}

const maxNamed = 12;

function listFault(field: Field, value: Json): string | undefined {
  const { values } = field;
  if (values === undefined) return undefined;
  const isListed = (one: Json): boolean => {
    if (typeof one === 'object') return false;
    if (values.includes(String(one))) return true;
    // A value can also equal a listed one after parsing. For example, 1 equals a listed 1.0.
    const read = readValue(field, one, anyTime);
    return 'value' in read && read.value === one;
  };
  const other = entriesOf(value).find((one) => !isListed(one));
  if (other === undefined) return undefined;
  const more = values.length > maxNamed ? `, and ${values.length - maxNamed} more` : '';
  return wrong(field, other, `is not one of: ${values.slice(0, maxNamed).join(', ')}${more}`);
}

/** Checks the number of Unicode code points in a string, or of entries in a list. */
function lengthFault(field: Field, value: Json): string | undefined {
  const { minLength = 0, maxLength = Infinity } = field;
  if (minLength === 0 && maxLength === Infinity) return undefined;
  const length = Array.isArray(value) ? value.length : Array.from(asText(value)).length;
  if (length <= maxLength && length >= minLength) return undefined;
  const limit = length > maxLength ? `maximum is ${maxLength}` : `minimum is ${minLength}`;
  return wrong(
    field,
    value,
    `has ${length} ${Array.isArray(value) ? 'entries' : 'characters'}; the ${limit}`,
  );
}

function boundFault(field: Field, value: Json): string | undefined {
  const { minimum, maximum } = field;
  if (minimum === undefined && maximum === undefined) return undefined;
  const number = typeof value === 'string' ? BigInt(value) : value;
  if (typeof number !== 'number' && typeof number !== 'bigint') return undefined;
  if (maximum !== undefined && number > maximum)
    return wrong(field, value, `is too large; the maximum is ${maximum}`);
  if (minimum !== undefined && number < minimum)
    return wrong(field, value, `is too small; the minimum is ${minimum}`);
  return undefined;
}

function patternFault(field: Field, value: Json, testPattern: TestPattern): string | undefined {
  const { pattern } = field;
  if (pattern === undefined) return undefined;
  const outcomes = entriesOf(value).map((one) => testPattern(pattern, asText(one)));
  const outcome = outcomes.find((one) => one !== 'fits');
  if (outcome === undefined) return undefined;
  return outcome === 'other'
    ? wrong(field, value, `does not match the pattern ${pattern.source}`)
    : wrong(field, value, `takes too long to match against the pattern ${pattern.source}, so it is refused`);
}

/** Returns a list's entries, or a single value as the only entry. The rules apply to each entry. */
function entriesOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}
