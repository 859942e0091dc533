import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { RecursiveSkilledAgent, type RunResult } from '../../src/index.ts';
import { createScriptedModel } from '../../src/testing/index.ts';
import { tree, type Tree } from '../support/tree.ts';
import { checkEnd, compareRecords, summary } from './check.ts';
import { apply, readRecords, type State, type TableModel } from './model.ts';
import type { OpenedTables } from './open-tables.ts';
import type { Diff, Request } from './request.ts';

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

/** An agent with all tables of the examples in one database. */
export interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly opened: OpenedTables;
  readonly files: Tree;
  /** Sets the model's next answers. */
  answer(answers: readonly string[]): void;
  /** Returns the number of answers that the model has given. */
  answered(): number;
}

export function openStage(opened: OpenedTables): Stage {
  const files = tree();
  let answers: readonly string[] = [];
  const model = createScriptedModel(() => {
    const [answer = 'This question was not expected.', ...others] = answers;
    answers = others;
    return answer;
  });
  const agent = new RecursiveSkilledAgent({
    additionalSkillRoots: [examples],
    only: true,
    workspace: files.path,
    database: opened.location,
    permissions: { allow: ['Read', 'Write'] },
    models: model,
    embeddings: false,
  });
  return {
    agent,
    opened,
    files,
    answer: (given) => (answers = given),
    answered: () => model.requests.length,
    async [Symbol.asyncDispose]() {
      await agent.shutdown();
      files[Symbol.dispose]();
    },
  };
}

/** The requests of a table in progress. */
export interface Playing {
  /** The number of requests that are left. */
  readonly left: number;
  /**
   * Sends the next request and compares its end, and then all records, with the model. Records are read with
   * SQL. Returns the differences. If records differ, no request is left.
   */
  next(): Promise<readonly string[]>;
}

/** Fills the tables. Throws if the records of the examples break the model's policy or are not stored. */
export async function startPlay(play: Play, stage: Stage): Promise<Playing> {
  const player = createPlayer(play, stage);
  const refused = await player.fill();
  const wrong = refused.length > 0 ? refused : await compareRecords(player.states, stage.opened);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  let left = play.requests;
  return {
    get left() {
      return left.length;
    },
    async next() {
      const [request, ...others] = left;
      if (request === undefined) return [];
      const { as, ask, model = [] } = request;
      const expected = stage.answered() + model.length;
      stage.answer(model);
      const wrong = [...(await player.send(request))];
      if (stage.answered() !== expected)
        wrong.push(`the model gave ${stage.answered() - expected} more answers`);
      const stored = await compareRecords(player.states, stage.opened);
      left = stored.length > 0 ? [] : others;
      const number = play.requests.length - others.length;
      const words = typeof ask === 'string' ? ask : JSON.stringify(ask);
      return [...wrong, ...stored].map((what) => `${play.model.name} ${number}. ${as}: ${words}: ${what}`);
    },
  };
}

/** Sends all requests. Returns all differences. */
export async function playRequests(play: Play, stage: Stage): Promise<readonly string[]> {
  const playing = await startPlay(play, stage);
  const problems: string[] = [];
  while (playing.left > 0) problems.push(...(await playing.next()));
  return problems;
}

interface Player {
  /** The expected records of each table. */
  readonly states: Map<TableModel, State>;
  /** Imports the records of the examples. */
  fill(): Promise<readonly string[]>;
  /** Sends a request with its replies. Returns what differs from the expected end. */
  send(request: Request): Promise<readonly string[]>;
}

function createPlayer(play: Play, { agent, files }: Stage): Player {
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
      for (const [file, content] of Object.entries(play.files)) files.write(file, content);
      for (const table of tables) {
        const csv = readFileSync(join(examples, table.name, 'records.csv'), 'utf8');
        const file = `${table.name}.csv`;
        files.write(file, csv);
        const input = { operation: 'import', file, confirm: false };
        const user = { id: 'filler', roles: [play.writer] };
        const { ok, text } = await agent.run({
          skill: table.name,
          input,
          session: `fill ${play.model.name}`,
          user,
        }).result;
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
      const who = { session: `${play.model.name} ${as}`, user };
      const input = typeof ask === 'string' ? { prompt: ask } : { input: ask };
      let result = await agent.run({ skill: of, ...input, ...who }).result;
      for (const step of steps) {
        if ('meanwhile' in step) {
          const other = { session: `other ${play.model.name}`, user: { id: 'other', roles: [play.writer] } };
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
