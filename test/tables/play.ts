import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import { RecursiveSkilledAgent, type JsonObject, type RunResult } from '../../src/index.ts';
import { createScriptedModel } from '../../src/testing/index.ts';
import { tree, type Tree } from '../support/tree.ts';
import { apply, brokenBy, compare, readRecords, type State, type TableModel } from './model.ts';
import type { OpenedTables } from './open-tables.ts';
import type { Diff, End, Request, Row, Value } from './request.ts';

/** A table with its requests. */
export interface Play {
  readonly model: TableModel;
  /** The tables that it refers to. They are filled first. */
  readonly others: readonly TableModel[];
  /** The role that may write to all of these tables. */
  readonly writer: string;
  readonly requests: readonly Request[];
  /** Files in the workspace. */
  readonly files: Readonly<Record<string, string>>;
}

const examples = join(import.meta.dirname, '..', '..', 'examples', 'tables');

/**
 * Sends the requests one after the other and compares each end, and all records after each request, with the
 * model. Records are read with SQL. Returns all differences.
 */
export async function playRequests(play: Play, opened: OpenedTables): Promise<readonly string[]> {
  using files = tree(play.files);
  const script = play.requests.flatMap(({ model = [] }) => model);
  const model = createScriptedModel(script);
  await using agent = new RecursiveSkilledAgent({
    additionalSkillRoots: [examples],
    only: true,
    workspace: files.path,
    database: opened.location,
    permissions: { allow: ['Read', 'Write'] },
    models: model,
    embeddings: false,
  });
  const player = createPlayer(play, agent, files);
  const problems: string[] = [...(await player.fill(files))];
  for (const [index, request] of play.requests.entries()) {
    const wrong = [...(await player.send(request)), ...(await compareRecords(player.states, opened))];
    const words = typeof request.ask === 'string' ? request.ask : JSON.stringify(request.ask);
    problems.push(...wrong.map((what) => `${index + 1}. ${request.as}: ${words}: ${what}`));
  }
  if (model.requests.length !== script.length)
    problems.push(`The model was asked ${model.requests.length} times instead of ${script.length}.`);
  return problems;
}

interface Player {
  /** The expected records of each table. */
  readonly states: Map<TableModel, State>;
  fill(files: Tree): Promise<readonly string[]>;
  /** Sends a request with its replies. Returns what differs from the expected end. */
  send(request: Request): Promise<readonly string[]>;
}

function createPlayer(play: Play, agent: RecursiveSkilledAgent, files: Tree): Player {
  const tables = [...play.others, play.model];
  const states = new Map<TableModel, State>(tables.map((table) => [table, new Map()]));
  const tableOf = (name: string): TableModel => tables.find((table) => table.name === name) ?? play.model;
  const stateOf = (table: TableModel): State => states.get(table) ?? new Map();
  const change = (table: TableModel, diff: Diff): void => {
    states.set(table, apply(table, stateOf(table), diff));
  };

  return {
    states,
    async fill() {
      const problems: string[] = [];
      for (const table of tables) {
        const csv = readFileSync(join(examples, table.name, 'records.csv'), 'utf8');
        const file = `${table.name}.csv`;
        files.write(file, csv);
        const input = { operation: 'import', file, confirm: false };
        const user = { id: 'filler', roles: [play.writer] };
        const { ok, text } = await agent.run({ skill: table.name, input, session: 'fill', user }).result;
        if (!ok) problems.push(text);
        const rows = readRecords(table, csv);
        states.set(table, rows);
        for (const [key, row] of rows)
          problems.push(...table.breaks(row, undefined).map((what) => `${table.name} ${key}: ${what}`));
      }
      return problems;
    },
    async send({ as, ask, of = play.model.name, steps, end }) {
      const table = tableOf(of);
      const problems: string[] = [];
      const user = { id: as, roles: [as.replace(/ \d+$/, '')] };
      const who = { session: as, user };
      const input = typeof ask === 'string' ? { prompt: ask } : { input: ask };
      let result = await agent.run({ skill: of, ...input, ...who }).result;
      for (const step of steps) {
        if ('meanwhile' in step) {
          const other = { session: 'other', user: { id: 'other', roles: [play.writer] } };
          const made = await agent.run({ skill: of, input: step.meanwhile, ...other }).result;
          if (!made.ok) problems.push(`The change by another user failed: ${made.text}`);
          change(table, step.diff);
          continue;
        }
        const kind = kindOf(result);
        if (kind !== kindsOf[step.question]) {
          problems.push(`expected "${step.question}" before "${step.reply}": ${summary(result)}`);
          break;
        }
        if ('diff' in end && step === steps.at(-1) && step.reply === 'yes')
          problems.push(...checkPreview(result, end.diff, stateOf(table)));
        result = await agent.run({ prompt: step.reply, ...who }).result;
      }
      problems.push(...checkEnd(result, end, { table, state: stateOf(table), files }));
      if (end.end === 'writes' || end.end === 'undoes') change(table, end.diff);
      if (result.status === 'waiting') await agent.runs.cancel(result.runId);
      return problems;
    },
  };
}

// The options of a question say what is asked: a decision, a choice of records, or values.
const kindsOf = { confirm: 'decision', pick: 'choice', fill: 'values', fix: 'values' } as const;

function kindOf({ status, question }: RunResult): string {
  if (status !== 'waiting' || question === undefined) return status;
  const { options = [] } = question;
  if (options.length === 0) return 'values';
  return isDeepStrictEqual(options, ['yes', 'no']) ? 'decision' : 'choice';
}

/** A preview shows the key of each changed record and the name of each changed field. */
function checkPreview({ question }: RunResult, diff: Diff, state: State): readonly string[] {
  const known = Object.entries(diff).filter(([key]) => state.has(key));
  const shown = known.flatMap(([key, change]) => [key, ...Object.keys(change ?? {})]);
  const missing = shown.filter((one) => !(question?.text ?? '').includes(one));
  return missing.length === 0 ? [] : [`The preview lacks ${missing.join()}: ${question?.text ?? ''}`];
}

interface Expected {
  readonly table: TableModel;
  readonly state: State;
  readonly files: Tree;
}

function checkEnd(result: RunResult, end: End, { table, state, files }: Expected): readonly string[] {
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
      const written = existsSync(path) ? parse<Row>(readFileSync(path, 'utf8'), { columns: true }) : [];
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

function summary({ status, text, error, question }: RunResult): string {
  const said = question?.text ?? text;
  return `${status}${error === undefined ? '' : ` ${error.code}`}: ${said.replaceAll('\n', ' / ').slice(0, 400)}`;
}

/** Compares the records in the database with the expected ones. */
async function compareRecords(
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
