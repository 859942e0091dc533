import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  askAbout,
  codeOf,
  done,
  ofType,
  runProgram,
  said,
  settled,
  textOf,
  yesPolicy,
  type Run,
} from '../../../test/support/kernel.ts';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import type { Json } from '../../core/json.ts';
import type { Policy } from '../../core/policy.ts';
import type { RunResult } from '../../core/run.ts';
import { createMemoryStore } from '../../stores/memory.ts';

/** Runs a skill until it waits for answers. */
async function waitingRun(agent: BareAgent, skill = 'top'): Promise<RunResult> {
  const result = await settled(agent.run({ skill }).result, 'the run');
  assert.equal(result.status, 'waiting', codeOf(result));
  return result;
}

async function resumed(agent: BareAgent, runId: string): Promise<RunResult> {
  return settled(agent.runs.resume(runId).result, 'the resumed run');
}

describe('an approval', () => {
  const child = (): ReturnType<Run> => done('child');
  const twice: Run = async (_input, scope) =>
    done([said(await scope.call('child', 1)), said(await scope.call('child', 2))].join(' '));

  test('once is for one call', async () => {
    await using agent = agentWith({ top: twice, child }, { policy: askAbout('child') });
    const first = await waitingRun(agent);
    assert.equal(first.question?.kind, 'approval');
    await agent.runs.approve(first.runId, first.question.id, { allow: 'once' });
    const second = await resumed(agent, first.runId);
    assert.equal(second.status, 'waiting');
    await agent.runs.approve(first.runId, second.question?.id ?? '', { allow: 'once' });
    assert.equal((await resumed(agent, first.runId)).text, 'child child');
  });

  test('for the run is for every call under its rule', async () => {
    await using agent = agentWith({ top: twice, child }, { policy: askAbout('child') });
    const { runId, question } = await waitingRun(agent);
    await agent.runs.approve(runId, question?.id ?? '', { allow: 'run' });
    assert.equal((await resumed(agent, runId)).text, 'child child');
    assert.equal(ofType(await agent.runs.events(runId), 'approval.requested').length, 1);
  });

  test('for the run also settles what is asked under its rule already', async () => {
    const both: Run = async (_input, scope) =>
      done((await Promise.all([scope.call('child', 1), scope.call('child', 2)])).map(said).join(' '));
    await using agent = agentWith({ top: both, child }, { policy: askAbout('child') });
    const { runId, question } = await waitingRun(agent);
    await agent.runs.approve(runId, question?.id ?? '', { allow: 'run' });
    assert.equal((await resumed(agent, runId)).text, 'child child');
  });

  test('that is denied gives the caller the reason, and it continues', async () => {
    let reason = '';
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const output = await scope.call('child', null);
          reason = output.text;
          return done(said(output));
        },
        child,
      },
      { policy: askAbout('child') },
    );
    const { runId, question } = await waitingRun(agent);
    await agent.runs.approve(runId, question?.id ?? '', { deny: 'not today' });
    assert.equal((await resumed(agent, runId)).text, 'policy.denied');
    assert.match(reason, /not today/);
    assert.equal(ofType(await agent.runs.events(runId), 'call.refused').length, 1);
  });

  test('is never given by an answer without an id, nor by a word', async () => {
    await using agent = agentWith({ top: twice, child }, { policy: askAbout('child') });
    const { runId, question } = await waitingRun(agent);
    await assert.rejects(agent.runs.answer(runId, { allow: 'run' }), { code: 'usage.bad-input' });
    for (const answer of [
      'yes',
      true,
      null,
      { allow: 'always' },
      { allow: true },
      {},
      { deny: 1 },
      ['allow'],
    ] as Json[]) {
      await assert.rejects(
        agent.runs.answer(runId, answer, question?.id),
        { code: 'usage.bad-input' },
        JSON.stringify(answer),
      );
    }
    assert.equal((await resumed(agent, runId)).status, 'waiting');
  });

  test('does not block a question', async () => {
    await using agent = agentWith(
      {
        top: async (_input, scope) =>
          done(
            (await Promise.all([scope.call('child', 1).then(said), scope.ask('x').then(textOf)])).join(' '),
          ),
        child,
      },
      { policy: askAbout('child') },
    );
    const { runId } = await waitingRun(agent);
    await agent.runs.answer(runId, 'A');
    const { question } = await resumed(agent, runId);
    assert.equal(question?.kind, 'approval');
    await agent.runs.approve(runId, question.id, { allow: 'once' });
    assert.equal((await resumed(agent, runId)).text, 'child A');
  });

  test('is not needed any more when the policy of a later process allows the call', async () => {
    const store = createMemoryStore();
    await using first = agentWith({ top: twice, child }, { store, policy: askAbout('child') });
    await using second = agentWith({ top: twice, child }, { store, policy: yesPolicy });
    const { runId } = await waitingRun(first);
    assert.equal((await resumed(second, runId)).text, 'child child');
    assert.deepEqual(
      ofType(await second.runs.events(runId), 'approval.resolved').map(({ answer }) => answer),
      [{ allow: 'once' }],
    );
  });

  test('is settled by a policy that changed, when the run is resumed for another answer', async () => {
    const store = createMemoryStore();
    const top: Run = async (_input, scope) =>
      done((await Promise.all([scope.call('child', 1).then(said), scope.ask('x').then(textOf)])).join(' '));
    const no: Policy = {
      decide: ({ skill }) =>
        skill === 'child' ? { decision: 'deny', reason: 'never' } : { decision: 'allow' },
    };
    for (const [policy, text, answer] of [
      [yesPolicy, 'child A', { allow: 'once' }],
      [no, 'policy.denied A', { deny: 'never' }],
    ] as const) {
      await using first = agentWith({ top, child }, { store, policy: askAbout('child') });
      await using second = agentWith({ top, child }, { store, policy });
      const { runId } = await waitingRun(first);
      await second.runs.answer(runId, 'A');
      assert.equal((await resumed(second, runId)).text, text);
      assert.deepEqual(ofType(await second.runs.events(runId), 'approval.resolved')[0]?.answer, answer);
    }
  });

  test('that a policy settled is asked for again by one that asks, when the call did not begin', async () => {
    const store = createMemoryStore();
    const append: typeof store.append = async (...given) => {
      const isChild = given[2].some((event) => event.type === 'frame.started' && event.skill === 'child');
      if (isChild) throw new Error('no connection');
      return store.append(...given);
    };
    const skills = {
      top: (async (_input, scope) => done(said(await scope.call('child', 1)))) satisfies Run,
      child,
    };
    await using asking = agentWith(skills, { store, policy: askAbout('child') });
    await using breaking = agentWith(skills, { store: { ...store, append }, policy: yesPolicy });
    const { runId } = await waitingRun(asking);
    assert.equal((await resumed(breaking, runId)).error?.message, 'no connection');
    assert.deepEqual(
      ofType(await asking.runs.events(runId), 'approval.resolved').map(({ answer, by }) => [answer, by]),
      [[{ allow: 'once' }, 'policy']],
    );
    const again = await settled(asking.runs.resume(runId, { takeOver: true }).result);
    assert.deepEqual([again.status, again.question?.kind], ['waiting', 'approval']);
    await asking.runs.approve(runId, again.question?.id ?? '', { allow: 'once' });
    assert.equal((await resumed(asking, runId)).text, 'child');
    const last = ofType(await asking.runs.events(runId), 'approval.resolved').at(-1);
    assert.deepEqual([last?.answer, last?.by], [{ allow: 'once' }, undefined]);
  });

  test('says in the result which call it is about, and the rule', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    await using agent = agentWith({ top: twice, child }, { policy: askAbout('child') });
    const { question } = await waitingRun(agent);
    const { expires, ...asks } = question?.asks ?? {};
    assert.equal(expires, Date.now() + 24 * 3_600_000);
    assert.deepEqual(asks, {
      skill: 'child',
      input: 1,
      reason: 'It matters.',
      rule: 'Skill(child)',
      caller: 'top',
    });
  });

  test('a policy that answers nonsense allows nothing', async () => {
    for (const nonsense of [undefined, {}, { decision: 'denied' }, { decision: 'no', reason: 'x' }]) {
      const policy = {
        decide: ({ skill }: { skill: string }) => (skill === 'child' ? nonsense : { decision: 'allow' }),
      } as unknown as Policy;
      await using agent = agentWith(
        { top: async (_input, scope) => done(said(await scope.call('child', 1))), child },
        { policy },
      );
      assert.notEqual((await agent.run({ skill: 'top' }).result).text, 'child', JSON.stringify(nonsense));
    }
  });

  test('a policy that throws allows nothing', async () => {
    const policy: Policy = {
      decide: ({ skill }) => {
        if (skill === 'child') throw new Error('no policy');
        return { decision: 'allow' };
      },
    };
    await using agent = agentWith(
      { top: async (_input, scope) => done(said(await scope.call('child', 1))), child },
      { policy },
    );
    assert.notEqual((await agent.run({ skill: 'top' }).result).text, 'child');
  });

  test('or question inside a step lets the run wait, or fails at once', async () => {
    const { exitCode } = await runProgram(`
      const agent = agentWith({ top: async (_input, scope) => done('', await scope.step('s', () => scope.ask('x'))) }, { limits: { callSeconds: 600, runSeconds: 600 } });
      const { status } = await agent.run({ skill: 'top' }).result;
      process.exit(['waiting', 'failed'].includes(status) ? 0 : 1);
    `);
    assert.equal(exitCode, 0);
  });
});

test('a policy that denies or asks with a blank reason is given one', async () => {
  const messages = new Set<string>();
  for (const reason of [undefined, '', ' ', '\n']) {
    const deny = (): never => ({ decision: 'deny', reason }) as never;
    await using agent = agentWith({ top: () => done() }, { policy: { decide: deny } });
    const { error } = await agent.run({ skill: 'top' }).result;
    assert.equal(error?.code, 'policy.denied');
    messages.add(error.message);
    const ask = (): never => ({ decision: 'ask', reason, rule: ' ' }) as never;
    await using asking = agentWith({ top: () => done() }, { policy: { decide: ask } });
    const { question } = await waitingRun(asking);
    assert.notEqual(question?.asks?.reason.trim(), '');
    assert.equal(question?.asks?.rule, 'Skill(top)');
  }
  assert.equal(messages.size, 1, [...messages].join());
});
