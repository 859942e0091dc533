import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import type { JsonObject, RunResult } from '../../src/index.ts';
import type { Tree } from '../support/tree.ts';
import { brokenBy, compare, type State, type TableModel } from './model.ts';
import type { OpenedTables } from './open-tables.ts';
import type { End, Row, Value } from './request.ts';

interface Expected {
  readonly table: TableModel;
  readonly state: State;
  readonly files: Tree;
}

/** Compares how a request ended with what was expected. Returns the differences. */
export function checkEnd(result: RunResult, end: End, { table, state, files }: Expected): readonly string[] {
  const value = (result.value ?? {}) as JsonObject;
  const rows = [...state.values()];
  const differ = (what: string, actual: unknown, expected: unknown): readonly string[] =>
    isDeepStrictEqual(JSON.parse(JSON.stringify(actual ?? null)), JSON.parse(JSON.stringify(expected)))
      ? []
      : [`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)} (${summary(result)})`];

  switch (end.end) {
    case 'undoes':
      return differ('outcome', value['outcome'], 'done');
    case 'writes': {
      const broken = brokenBy(table, state, end.diff);
      return [
        ...broken.map((what) => `The test expects a change that breaks a policy: ${what}`),
        ...differ('outcome', value['outcome'], 'done'),
      ];
    }
    case 'refused': {
      const broken = brokenBy(table, state, end.diff);
      const legal =
        broken.length === 0 ? ['The test expects a refusal, but its model has no objection.'] : [];
      return [...legal, ...differ('code', result.error?.code ?? value['outcome'], end.code ?? 'declined')];
    }
    case 'declined':
      return differ('outcome', value['outcome'], 'declined');
    case 'unchanged':
    case 'none':
      return differ('outcome', value['outcome'], end.end);
    case 'fails':
      return differ('code', result.error?.code, end.code);
    case 'finds': {
      const { order, window: { down = false, limit = 20, offset = 0 } = {} } = end;
      const found = rows.filter(end.filter);
      if (order !== undefined) found.sort((one, other) => compareBy(order, one, other, down));
      const shown = found.slice(offset, offset + limit);
      const records = (value['records'] ?? []) as readonly Row[];
      const fields = Object.keys(records[0] ?? {});
      const expected = shown.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]])));
      return [...differ('records', records, expected), ...differ('total', value['total'], found.length)];
    }
    case 'shows':
      return differ('record', value['record'], end.key === null ? null : state.get(end.key));
    case 'counts':
      return differ('count', value['count'], rows.filter(end.filter).length);
    case 'measures':
      return differ('result', value['result'], end.work(rows));
    case 'groups': {
      const found = (value['groups'] ?? []) as readonly JsonObject[];
      return differ(
        'groups',
        found.map((group) => [group['value'], group['result']]),
        end.work(rows),
      );
    }
    case 'exports': {
      const path = files.at(end.file);
      const written = existsSync(path)
        ? parse<Row>(readFileSync(path, 'utf8'), { columns: true, delimiter: [',', '\t'] })
        : [];
      const [key = ''] = Object.keys(table.fields);
      const keys = rows.filter(end.filter).map((row) => String(row[key]));
      return [
        ...differ(
          'file',
          written.map((row) => row[key]),
          keys,
        ),
        ...differ('rows', value['rows'], keys.length),
      ];
    }
  }
}

function compareBy(order: (row: Row) => Value, one: Row, other: Row, down: boolean): number {
  const [first, second] = [order(one), order(other)];
  return first === null || second === null || !down ? compare(first, second) : compare(second, first);
}

/** Describes a result on one line. */
export function summary({ status, text, error, question }: RunResult): string {
  const said = question?.text ?? text;
  return `${status}${error === undefined ? '' : ` ${error.code}`}: ${said.replaceAll('\n', ' / ').slice(0, 400)}`;
}

/** Compares the records in the database with the expected ones. */
export async function compareRecords(
  states: ReadonlyMap<TableModel, State>,
  opened: OpenedTables,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [table, state] of states) {
    const stored = new Map((await opened.read(table)).map((row) => [String(Object.values(row)[0]), row]));
    for (const key of new Set([...state.keys(), ...stored.keys()])) {
      const [expected, actual] = [state.get(key) ?? {}, stored.get(key) ?? {}] as [Row, Row];
      const fields = Object.keys({ ...expected, ...actual });
      const wrong = fields.filter((field) => !isDeepStrictEqual(actual[field], expected[field]));
      if (wrong.length === 0) continue;
      const shown = wrong.map(
        (field) => `${field} ${JSON.stringify(actual[field])} instead of ${JSON.stringify(expected[field])}`,
      );
      problems.push(`stored ${table.name} ${key}: ${shown.join(', ')}`);
    }
  }
  return problems;
}
