import { AgentError, didYouMean, isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import type { Table, TableClock } from '../table.ts';
import { quote } from '../values/quote.ts';
import { readValue } from '../values/read-value.ts';
import { isOrdered, mayMeasure } from './comparisons-of.ts';
import { fitCondition } from './fit-condition.ts';
import {
  badMember,
  fitCount,
  fitField,
  fitText,
  fitBoolean,
  fitChoice,
  listOf,
  type FitContext,
} from './fit-member.ts';
import { requestLimits } from './request-limits.ts';
import { measures, operations } from './request-words.ts';
import type { TableRequest } from './request.ts';

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
  const fitters = members[operation];
  for (const name of Object.keys(given)) {
    if (name !== 'operation' && !Object.hasOwn(fitters, name))
      throw strayMember(name, operation, Object.keys(fitters));
  }
  const request: Record<string, Json> = { operation };
  for (const [name, fit] of Object.entries(fitters)) {
    const isGiven = Object.hasOwn(given, name) && given[name] !== null;
    if (!isGiven && required[operation]?.includes(name) !== true) continue;
    const value = fit(context, given[name] ?? null, name);
    if (value !== undefined) request[name] = value as Json;
  }
  checkMeasure(context, request);
  return request as unknown as TableRequest;
}

const example = 'Write, for example, {"operation": "list", "limit": 20}.';

type Fit = (context: FitContext, given: Json, path: string) => unknown;
type Members = Readonly<Record<string, Fit>>;

const where: Fit = (context, given, path) => fitCondition(context, given, path);
const fields: Fit = (context, given, path) =>
  distinct(
    path,
    listOf(path, given).map((one, index) => fitField(context, one, `${path}[${index}]`).name),
  );
const sort: Fit = (context, given, path) =>
  listOf(path, given).map((one, index) => fitSort(context, one, `${path}[${index}]`));
const limit: Fit = (_context, given, path) => fitCount(path, given, 1, requestLimits.maxRows);
const offset: Fit = (_context, given, path) => fitCount(path, given, 0, requestLimits.maxSkipped);
const field: Fit = (context, given, path) => fitField(context, given, path).name;
const by: Fit = (context, given, path) => fitOrdered(context, given, path);
const measure: Fit = (_context, given, path) => fitChoice(path, given, measures);
const direction: Fit = (_context, given, path) => fitChoice(path, given, ['up', 'down']);
const flag: Fit = (_context, given, path) => (fitBoolean(path, given) ? true : undefined);
const file: Fit = (_context, given, path) => fitText(path, given);
const format: Fit = (_context, given, path) => fitChoice(path, given, ['csv', 'json']);
const set: Fit = (context, given, path) => fitRecord(context, given, path, false);
const records: Fit = (context, given, path) => fitRecords(context, given, path);

const measured: Members = { field, where };
const nothing: Members = {};

const members: Readonly<Record<TableRequest['operation'], Members>> = {
  list: { where, fields, sort, limit, offset },
  show: { where },
  count: { where },
  sum: measured,
  average: measured,
  minimum: measured,
  maximum: measured,
  group: { by, measure, field, where, direction, limit },
  add: { records, partial: flag },
  update: { where, set, many: flag, partial: flag },
  delete: { where, many: flag, partial: flag },
  import: { file, format, partial: flag },
  export: { file, format, where, fields, sort },
  undo: nothing,
  fields: nothing,
  next: nothing,
  previous: nothing,
};

const required: Readonly<Partial<Record<TableRequest['operation'], readonly string[]>>> = {
  show: ['where'],
  sum: ['field'],
  average: ['field'],
  minimum: ['field'],
  maximum: ['field'],
  group: ['by', 'measure'],
  add: ['records'],
  update: ['set'],
  import: ['file'],
  export: ['file'],
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
