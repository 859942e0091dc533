import { AgentError, didYouMean, isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import type { Table, TableClock } from '../table.ts';
import { quote } from '../values/quote.ts';
import { readValue } from '../values/value-types.ts';
import { isOrdered, mayMeasure } from './comparisons-of.ts';
import {
  badMember,
  fitBoolean,
  fitChoice,
  fitCondition,
  fitCount,
  fitField,
  fitText,
  listOf,
  type FitContext,
} from './fit-condition.ts';
import { measures, operations, requestLimits, type TableRequest } from './request.ts';

/**
 * Validates a request from a program or a model and converts its values. Throws `usage.bad-input`, naming the
 * invalid property.
 */
export function fitRequest(table: Table, given: Json, clock: TableClock): TableRequest {
  if (!isJsonObject(given)) {
    throw new AgentError('usage.bad-input', `A request must be an object, not ${quote(given)}.`, {
      hint: example,
    });
  }
  const context: FitContext = { table, clock };
  const operation = fitChoice('operation', given['operation'], operations);
  const taken = members[operation].split(' ').filter((name) => name !== '');
  const names = taken.map((name) => name.replace('!', ''));
  const stray = Object.keys(given).find((name) => name !== 'operation' && !names.includes(name));
  if (stray !== undefined) throw strayMember(stray, operation, names);
  const request: Record<string, Json> = { operation };
  for (const name of names as readonly (keyof typeof fitters)[]) {
    const one = given[name] ?? null;
    if (one === null && !taken.includes(`${name}!`)) continue;
    const value = fitters[name](context, one, name);
    if (value !== undefined) request[name] = value;
  }
  checkMeasure(context, request);
  return request as unknown as TableRequest;
}

const example = 'Write, for example, {"operation": "list", "limit": 20}.';

type Fit = (context: FitContext, given: Json, path: string) => unknown;

/** Validates each property of a request. */
const fitters = {
  where: fitCondition,
  fields: (context, given, path) =>
    distinct(
      path,
      listOf(path, given).map((one, index) => fitField(context, one, `${path}[${index}]`).name),
    ),
  sort: (context, given, path) =>
    listOf(path, given).map((one, index) => fitSort(context, one, `${path}[${index}]`)),
  limit: (_context, given, path) => fitCount(path, given, 1, requestLimits.maxRows),
  offset: (_context, given, path) => fitCount(path, given, 0, requestLimits.maxSkipped),
  last: fitFlag,
  field: (context, given, path) => fitField(context, given, path).name,
  by: fitOrdered,
  measure: (_context, given, path) => fitChoice(path, given, measures),
  direction: (_context, given, path) => fitChoice(path, given, ['up', 'down']),
  records: fitRecords,
  set: (context, given, path) => fitRecord(context, given, path, false),
  many: fitFlag,
  partial: fitFlag,
  file: (_context, given, path) => fitText(path, given),
  format: (_context, given, path) => fitChoice(path, given, ['csv', 'json']),
} satisfies Readonly<Record<string, Fit>>;

/** The properties that each operation takes. Those with `!` are required. */
const members: Readonly<Record<TableRequest['operation'], string>> = {
  list: 'where fields sort limit offset last',
  show: 'where!',
  count: 'where',
  sum: 'field! where',
  average: 'field! where',
  minimum: 'field! where',
  maximum: 'field! where',
  group: 'by! measure! field where direction limit',
  add: 'records! partial',
  update: 'where set! many partial',
  delete: 'where many partial',
  import: 'file! format partial',
  export: 'file! format where fields sort',
  undo: '',
  fields: '',
  next: '',
  previous: '',
};

function strayMember(name: string, operation: string, known: readonly string[]): AgentError {
  const hint =
    didYouMean(name, known) ??
    (known.length === 0 ? 'This operation takes no other properties.' : `It takes ${known.join(', ')}.`);
  return new AgentError(
    'usage.bad-input',
    `${quote(name)} is not a valid property of a request to ${operation}.`,
    {
      hint,
    },
  );
}

function fitFlag(_context: FitContext, given: Json, path: string): true | undefined {
  return fitBoolean(path, given) ? true : undefined;
}

function fitSort(context: FitContext, given: Json, path: string): JsonObject {
  if (typeof given === 'string') return { field: fitOrdered(context, given, path), direction: 'up' };
  if (!isJsonObject(given))
    throw badMember(
      path,
      `must be an object, not ${quote(given)}.`,
      'Write {"field": …, "direction": "up"}.',
    );
  const stray = Object.keys(given).find((name) => name !== 'field' && name !== 'direction');
  if (stray !== undefined)
    throw badMember(`${path}.${stray}`, 'is not known.', 'Use only "field" and "direction".');
  return {
    field: fitOrdered(context, given['field'] ?? null, `${path}.field`),
    direction:
      given['direction'] === undefined
        ? 'up'
        : fitChoice(`${path}.direction`, given['direction'], ['up', 'down']),
  };
}

function fitOrdered(context: FitContext, given: Json, path: string): string {
  const { name, type } = fitField(context, given, path);
  if (isOrdered(type)) return name;
  throw badMember(
    path,
    `cannot be used for sorting: the type of "${name}" is ${type}.`,
    'Choose another field.',
  );
}

const maxRecords = 10_000;

function fitRecords(context: FitContext, given: Json, path: string): readonly JsonObject[] {
  const items = isJsonObject(given) ? [given] : listOf(path, given);
  if (items.length === 0) throw badMember(path, 'is empty.', 'Add at least one record.');
  if (items.length > maxRecords)
    throw badMember(path, `has ${items.length} records.`, 'Pass at most 10,000 records, or import a file.');
  return items.map((item, index) => fitRecord(context, item, `${path}[${index}]`, true));
}

function distinct(path: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) throw badMember(path, 'is empty.', 'Name at least one field, or omit the list.');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badMember(path, `names "${twice}" twice.`, 'Name it once.');
  return names;
}

/** Checks that a field to measure is named and has a suitable type. */
function checkMeasure({ table }: FitContext, request: Readonly<Record<string, Json>>): void {
  const kind = request['operation'] === 'group' ? request['measure'] : request['operation'];
  const measured = measures.find((one) => one === kind);
  if (measured === undefined) return;
  const named = typeof request['field'] === 'string' ? table.find(request['field']) : undefined;
  if (measured === 'count') {
    if (named !== undefined) throw badMember('field', 'cannot be combined with "count".', 'Omit it.');
    return;
  }
  if (named === undefined)
    throw badMember('field', 'is missing.', `Name the field to use for the ${measured}.`);
  if (!mayMeasure(measured, named.type))
    throw badMember(
      'field',
      `cannot be used for the ${measured}: the type of "${named.name}" is ${named.type}.`,
      'Choose a field that contains numbers.',
    );
}

/**
 * Validates a record's values, keyed by field name. A request cannot set computed values or the key of an
 * existing record.
 */
function fitRecord(context: FitContext, given: Json, path: string, isNew: boolean): JsonObject {
  if (!isJsonObject(given)) {
    throw badMember(
      path,
      given === null ? 'is missing.' : `must be an object, not ${quote(given)}.`,
      'Write {"field": value}.',
    );
  }
  const record: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const memberPath = `${path}.${name}`;
    const field = fitField(context, name, memberPath);
    if (Object.hasOwn(record, field.name))
      throw badMember(memberPath, `refers to "${field.name}", which appears twice.`, 'Use it once.');
    if (field.derivator !== undefined) {
      throw badMember(memberPath, 'is computed from other fields and cannot be set.', 'Omit it.');
    }
    if (!isNew && field.key !== undefined)
      throw badMember(memberPath, 'identifies the record and cannot be changed.', 'Omit it.');
    const read = readValue(field, value, context.clock);
    if ('value' in read) record[field.name] = read.value;
    else if (field.resolver !== undefined)
      record[field.name] = value; // The resolver's code will parse the value.
    else
      throw badMember(
        memberPath,
        `is invalid: ${read.fault}`,
        `The type of "${field.name}" is ${field.type}.`,
      );
  }
  if (!isNew && Object.keys(record).length === 0)
    throw badMember(path, 'is empty.', 'Pass the values to change.');
  return record;
}
