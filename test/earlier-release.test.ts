import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { RecursiveSkilledAgent } from '../src/config/preset.ts';
import { defineSkill } from '../src/core/define-skill.ts';
import type { RunEvent } from '../src/core/event.ts';
import { shownSkillName } from '../src/core/names.ts';
import { addUsage, collect, noUsage, type Model, type Usage } from '../src/core/model.ts';
import type { RunStatus } from '../src/core/run.ts';
import { createScriptedModel } from '../src/models/scripted.ts';
import { framesOf } from '../src/views/run-node.ts';
import { foldRun } from '../src/views/run-tree.ts';
import { moneyText } from '../src/views/text.ts';
import { explainRun } from '../src/views/why.ts';
import { withoutBubblewrap } from './support/bubblewrap.ts';
import { call, documentOf, leaveHome } from './support/command.ts';
import {
  carryOn,
  earlierFlows,
  earlierFunctions,
  endedAs,
  sessionOf,
  stateOf,
  stepUsage,
  type EarlierFlow,
  type LeftState,
} from './support/earlier-release.ts';
import { ofType } from './support/kernel.ts';
import { shownTree } from './support/shown-tree.ts';
import { sourceFile } from './support/source-file.ts';
import { tree, type Tree } from './support/tree.ts';

leaveHome();

/** A run in the fixtures. */
interface LeftRun {
  readonly kind: string;
  readonly state: LeftState;
  readonly flow: EarlierFlow;
  readonly session: string;
}

const runs: readonly LeftRun[] = Object.entries(earlierFlows).flatMap(([kind, flow]) =>
  flow.states.map((state) => ({ kind, state, flow, session: sessionOf(kind, state) })),
);

/** Runs that have asked a model and have not ended. */
const asking = runs.filter(
  ({ state, flow }) => state !== 'finished' && state !== 'trust' && flow.turns.length > 0,
);

const statuses: Readonly<Record<LeftState, RunStatus>> = {
  finished: 'done',
  input: 'waiting',
  trust: 'waiting',
  approval: 'waiting',
  killed: 'interrupted',
};

describe('the runs of an earlier release', () => {
  test('are listed with their status', async () => {
    using files = workshop();
    await using agent = openAgent(files);
    const listed = await agent.runs.list({ limit: 1000 });
    assert.deepEqual(
      listed.map(({ session, status }) => `${session}: ${status}`).sort(),
      runs.map(({ session, state }) => `${session}: ${statuses[state]}`).sort(),
    );
  });

  test('are traced with their frames, questions and cost', async () => {
    using files = workshop();
    await using agent = openAgent(files);
    for (const { session, state, flow } of runs) {
      const { events } = await logOf(agent, session);
      const traced = foldRun(events);
      assert.deepEqual(framesIn(events), skillsIn(events), session);
      assert.deepEqual(flow.frames.slice(0, skillsIn(events).length), skillsIn(events), session);
      assert.deepEqual(traced.questions.map(stateOf), statuses[state] === 'waiting' ? [state] : [], session);
      assert.deepEqual(traced.totalUsage, costOf(ofType(events, 'model.ended').length), session);
      for (const skill of skillsIn(events)) assert.ok(shownTree(events).includes(skill), session);
      assert.ok(explainRun(events).length > 0, session);
    }
  });

  test('are listed and traced on the command line, once their store is adopted', async () => {
    using files = workshop('.skilled/skilled.db');
    await using agent = openAgent(files, undefined, '.skilled/skilled.db');
    const adopted = await call(['runs', 'adopt', '--yes', '--cwd', files.path]);
    assert.equal(adopted.code, 0, adopted.err);
    const listed = documentOf(await call(['runs', '--json', '--limit', '1000', '--cwd', files.path]))[
      'runs'
    ] as readonly { readonly id: string; readonly session: string; readonly status: string }[];
    assert.equal(listed.length, runs.length);
    for (const { session, state } of runs) {
      const run = listed.find((one) => one.session === session) ?? assert.fail(session);
      assert.equal(run.status, statuses[state], session);
      const { code, out, err } = await call(['trace', run.id, '--cwd', files.path]);
      assert.deepEqual([code, err], [0, ''], session);
      const events = await agent.runs.events(run.id);
      const [question] = foldRun(events).questions;
      if (question?.kind === 'input') assert.ok(out.includes(question.text.split('\n')[0] ?? ''), out);
      if (question?.kind === 'approval') assert.ok(out.includes(question.asks?.skill ?? ''), out);
      for (const skill of skillsIn(events)) assert.ok(out.includes(skill), `${skill}\n${out}`);
      const { cost = 0 } = costOf(ofType(events, 'model.ended').length);
      if (cost > 0) assert.ok(out.includes(moneyText(cost)), out);
    }
  });
});

describe('a run of an earlier release is resumed to its end', { concurrency: 4 }, () => {
  for (const run of runs) resumeTest(run);
});

describe('a run of an earlier release is resumed after our texts were reworded', { concurrency: 4 }, () => {
  for (const run of asking) resumeTest(run, rewordRequests);
});

describe(
  'a run of an earlier release is resumed after a reworded request has another key',
  { concurrency: 4 },
  () => {
    for (const run of asking) if (run.flow.knownByContent !== undefined) resumeTest(run, rewordKeys);
  },
);

/** Changes the log of a run as if one of this project's texts had been different. */
type Reword = (store: DatabaseSync, runId: string, flow: EarlierFlow) => void;

/** Gives every model request a different hash. */
function rewordRequests(store: DatabaseSync, runId: string): void {
  store
    .prepare(
      `update events set body = json_replace(body, '$.request', 'ffffffffffffffff')
       where run_id = ? and type = 'model.started'`,
    )
    .run(runId);
}

/** Also gives each unnamed request a different key, because its key is derived from its content. */
function rewordKeys(store: DatabaseSync, runId: string, { knownByContent = [] }: EarlierFlow): void {
  rewordRequests(store, runId);
  const keys = store
    .prepare(
      `select body ->> '$.key' as key from events
       where run_id = ? and type = 'model.started' group by key order by min(seq)`,
    )
    .all(runId);
  const rename = store.prepare(
    `update events set body = json_replace(body, '$.key', :other)
     where run_id = :runId and body ->> '$.key' = :key`,
  );
  for (const turn of knownByContent) {
    const key = keys[turn - 1]?.['key'];
    if (key !== undefined) rename.run({ runId, key, other: `model:${'f'.repeat(15)}${turn}:1` });
  }
}

/** Adds a test that resumes a run and checks that it ends as planned, without repeating finished steps. */
function resumeTest({ kind, state, flow, session }: LeftRun, reword?: Reword): void {
  const skip = flow.startsProcess === true && withoutBubblewrap;
  test(`${kind}: ${state}`, { skip }, async () => {
    using files = workshop();
    const id = findRun(files, session, (store, runId) => reword?.(store, runId, flow));
    let left: EarlierFlow['turns'] = [];
    const model = createScriptedModel((_request, turn) => left[turn - 1], { id: 'scripted/workshop' });
    await using agent = openAgent(files, model);
    const before = await agent.runs.events(id);
    left = flow.turns.slice(ofType(before, 'model.ended').length);

    const result = await carryOn(agent, flow, agent.runs.resume(id));

    assert.ok(endedAs(flow, result), JSON.stringify(result, null, 2));
    assert.equal(model.requests.length, left.length, 'the model is asked only for what it had not answered');
    if (state === 'killed') assert.equal(model.requests[0]?.messages.length, lastAsked(before));
    const events = await agent.runs.events(id);
    assert.deepEqual(events.slice(0, before.length), before, 'the log only grows');
    assert.deepEqual(framesIn(events), flow.frames);
    assert.deepEqual(result.usage, costOf(flow.turns.length));
  });
}

/** Changes the log of a session's run, and returns the run's id. */
function findRun(files: Tree, session: string, change: (store: DatabaseSync, runId: string) => void): string {
  using store = new DatabaseSync(files.at('runs.db'));
  const run = store.prepare('select run_id from runs where session_id = ?').get(session);
  const id = String(run?.['run_id']);
  change(store, id);
  return id;
}

/** Opens an agent of this release in the folder of the earlier one. */
function openAgent(files: Tree, models?: Model, store = 'runs.db'): RecursiveSkilledAgent {
  const agent = new RecursiveSkilledAgent({
    startDir: files.path,
    searchUpwards: false,
    store: files.at(store),
    database: files.at('tables.db'),
    models: models ?? { model: () => undefined },
    embeddings: false,
  });
  for (const skill of earlierFunctions({ defineSkill, collect })) agent.skills.register(skill);
  return agent;
}

async function logOf(
  agent: RecursiveSkilledAgent,
  session: string,
): Promise<{ readonly id: string; readonly events: readonly RunEvent[] }> {
  const [run] = await agent.runs.list({ session });
  assert.ok(run !== undefined, session);
  return { id: run.id, events: await agent.runs.events(run.id) };
}

/** Returns the number of messages in the last model request. */
function lastAsked(events: readonly RunEvent[]): number {
  const { kept, added } = ofType(events, 'model.started').at(-1) ?? assert.fail('no model was asked');
  return kept + added.length;
}

/** Returns the skills of the frames in a tree, in the order of their start. */
function framesIn(events: readonly RunEvent[]): readonly string[] {
  return [...framesOf(foldRun(events))].map(({ skill }) => skill);
}

/** Returns the skills of the frames in a log, in the order of their start. */
function skillsIn(events: readonly RunEvent[]): readonly string[] {
  return ofType(events, 'frame.started').map(({ skill }) => shownSkillName(skill));
}

function costOf(modelSteps: number): Usage {
  return Array.from({ length: modelSteps }, () => stepUsage).reduce(addUsage, noUsage);
}

let template: Tree | undefined;
after(() => template?.[Symbol.dispose]());

/** Creates a folder with the skills, records and runs of the earlier release. */
function workshop(store = 'runs.db'): Tree {
  template ??= makeTemplate();
  const files = tree();
  cpSync(template.at('project'), files.path, { recursive: true });
  cpSync(template.at('tables.db'), files.at('tables.db'));
  cpSync(template.at('runs.db'), files.at(store));
  return files;
}

/** Creates the fixtures with times one minute ago, so that nothing has expired. */
function makeTemplate(): Tree {
  const files = tree();
  cpSync(sourceFile('test/fixtures/earlier-release'), files.path, { recursive: true });
  using store = new DatabaseSync(files.at('runs.db'));
  const newest = Number(store.prepare('select max(at) as newest from events').get()?.['newest']);
  const by = Date.now() - 60_000 - newest;
  store.prepare('update events set at = at + ?').run(by);
  store.prepare('update runs set started_at = started_at + :by, updated_at = updated_at + :by').run({ by });
  store.prepare('update runs set beat_at = beat_at + ? where beat_at > 0').run(by);
  for (const expires of ['$.question.expires', '$.asks.expires'])
    store
      .prepare(
        `update events set body = json_replace(body, :expires, json_extract(body, :expires) + :by)
         where json_extract(body, :expires) is not null`,
      )
      .run({ expires, by });
  return files;
}
