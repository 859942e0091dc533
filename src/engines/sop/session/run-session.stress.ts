import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../../test/stress/stress.ts';
import { randomSession, type RandomSession } from '../../../../test/sop/random-session.ts';
import { agentWith, askAbout, done, type TestSkill } from '../../../../test/support/kernel.ts';
import { leaf } from '../../../../test/support/loop-stage.ts';
import { AgentError } from '../../../core/error.ts';
import type { RunEvent } from '../../../core/event.ts';
import type { Json } from '../../../core/json.ts';
import type { OpenQuestion, RunResult } from '../../../core/run.ts';
import type { Store } from '../../../core/store.ts';
import { createScriptedModel } from '../../../models/scripted.ts';
import { createMemoryStore } from '../../../stores/memory.ts';
import { runWithCrashes, type Incarnation, type CrashWork } from '../../../testing/crash-harness.ts';
import { runSopSession } from './run-session.ts';
import type { SopMemory, SopSessionEnd } from './session.ts';

/** An effect, with the idempotency key of its call. */
type Effect = readonly [call: string, what: string];

interface Outcome {
  readonly result: RunResult;
  readonly effects: readonly Effect[];
}

function workOf(session: RandomSession): CrashWork<Outcome> {
  let effects: Effect[] = [];
  return {
    open: () => {
      effects = [];
      return createMemoryStore();
    },
    live: async (incarnation) => ({ result: await live(session, incarnation, effects), effects }),
  };
}

/** Works as one process: starts or resumes the run, and answers every question and approval. */
async function live(
  session: RandomSession,
  { store, effect }: Incarnation,
  effects: Effect[],
): Promise<RunResult> {
  const act = (name: string, more: object = {}): TestSkill =>
    leaf(async (input: Json, scope) => {
      const what = `${name} ${textOf(input)}`;
      for (let turn = session.delayOf(what); turn > 0; turn -= 1) await new Promise(setImmediate);
      const answer = await scope.step('act', () =>
        effect(() => {
          effects.push([scope.run.idempotencyKey, what]);
          return `${what}!`;
        }),
      );
      if (session.fails(what)) throw new AgentError('skill.failed', 'The line is down.');
      return done('', answer);
    }, more);
  const skills: Record<string, TestSkill> = {
    list: leaf((input: string) => done('', Array.from(input))),
    work: act('work'),
    guarded: act('guarded'),
    alone: act('alone', { sequential: true }),
    asks: leaf(async (input: string, scope) => done('', await scope.ask(input))),
    leaves: leaf(() => {
      throw new AgentError('usage.cancelled', 'Not today.');
    }),
  };
  const planner: TestSkill = {
    allowedSkills: Object.keys(skills),
    run: async (_input, scope) => {
      const { concurrency, limits } = session;
      const ends = [await runSopSession(scope, { prompt: 'First.', concurrency, limits })];
      const [first] = ends;
      const previous = JSON.parse(JSON.stringify(first?.memory)) as SopMemory;
      if (first !== undefined && !isStopped(first))
        ends.push(
          await runSopSession(scope, { prompt: 'Second.', previous, name: 'more', concurrency, limits }),
        );
      return done('', ends.map(shownEnd));
    },
  };
  const model = createScriptedModel(({ messages }) => session.planFor(messages));
  const agent = agentWith(
    { ...skills, planner },
    { store, models: { plan: model }, policy: askAbout('guarded'), limits: { runSeconds: 600 } },
  );
  void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
  const known = (await store.runs({})).find(({ seq }) => seq > 0);
  let result = await (
    known === undefined ? agent.run({ skill: 'planner' }) : agent.runs.resume(known.id, { takeOver: true })
  ).result;
  while (result.status === 'waiting') {
    const { question } = result;
    assert.ok(question !== undefined);
    await agent.runs.answer(result.runId, answerTo(session, question), question.id).catch(() => undefined); // an earlier process may have answered
    result = await agent.runs.resume(result.runId, { takeOver: true }).result;
  }
  await agent.shutdown();
  return result;
}

function answerTo(session: RandomSession, { kind, text, asks }: OpenQuestion): Json {
  if (kind === 'input') return `yes to ${text}`;
  return session.isDenied(textOf(asks?.input ?? '')) ? { deny: 'No.' } : { allow: 'once' };
}

function textOf(input: Json): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

/** Whether a plan was stopped. Its running steps continue until the frame ends, so no other plan follows. */
function isStopped({ status, error, variables }: SopSessionEnd): boolean {
  const isOfStep = Object.values(variables).some((value) => value.status === 'fail' && value.error === error);
  return status === 'cannot-complete' || (error?.code.startsWith('limit.') === true && !isOfStep);
}

/**
 * Returns the comparable part of a session's end. If a plan was stopped, its results so far depend on timing, and
 * so does the reason if the plan both gave up and reached a limit.
 */
function shownEnd(end: SopSessionEnd): Json {
  const { status, plans, plan, variables, error } = end;
  if (isStopped(end)) return ['stopped', plans, plan, ''];
  return [status, plans, plan, error?.code ?? '', variables as unknown as Json];
}

function endsOf({ status, value, error }: RunResult): readonly (readonly [string, number, string, string])[] {
  assert.equal(status, 'done', JSON.stringify(error));
  return value as never;
}

/** Checks that no successful effect has more calls than a plan requests. Retries of one call count once. */
function checkEffects(session: RandomSession, effects: readonly Effect[]): void {
  const calls = new Map<string, Set<string>>();
  for (const [call, what] of effects) calls.set(what, (calls.get(what) ?? new Set<string>()).add(call));
  for (const [what, keys] of calls)
    if (!session.fails(what)) assert.ok(keys.size <= session.mostTimes(what), `${what}: ${keys.size} times`);
}

/** Checks that every started frame ended exactly once, and that the end of the run is the last event. */
async function checkLog(store: Store, runId: string): Promise<void> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId)) events.push(event);
  const framesOf = (type: RunEvent['type']): readonly string[] =>
    events.filter((event) => event.type === type).map(({ frameId }) => frameId);
  const started = framesOf('frame.started');
  assert.equal(new Set(started).size, started.length);
  assert.deepEqual(framesOf('frame.ended').toSorted(), started.toSorted());
  assert.equal(events.at(-1)?.type, 'run.ended');
}

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 12, full: 600 });

test('sessions of a careless planner end the same way after a crash, and no successful effect is repeated', async () => {
  const counts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(fc.tuple(fc.nat(1_000), fc.constantFrom('before', 'after')), { minLength: 1, maxLength: 2 }),
      async (seed, points) => {
        const session = randomSession(seed);
        const whole = await runWithCrashes(workOf(session), []);
        const ends = endsOf(whole.outcome.result);
        for (const [status, plans, , code] of ends)
          for (const what of [status, `${plans} plans`, code]) counts.set(what, (counts.get(what) ?? 0) + 1);
        checkEffects(session, whole.outcome.effects);
        await checkLog(whole.store, whole.outcome.result.runId);

        const deaths = points.map(([offset, when]) => ({ at: 1 + (offset % whole.appends), when }));
        const crashed = await runWithCrashes(workOf(session), deaths);
        assert.deepEqual(endsOf(crashed.outcome.result), ends);
        checkEffects(session, crashed.outcome.effects);
        await checkLog(crashed.store, crashed.outcome.result.runId);
      },
    ),
    { ...loop.runs(), examples: [[1_279_586_175, [[484, 'before']]]] },
  );

  assert.ok(counts.size > 3, JSON.stringify([...counts]));
});
