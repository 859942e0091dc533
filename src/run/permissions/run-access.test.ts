import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  askAbout,
  done,
  ofType,
  said,
  valueOf,
  type Run,
  type TestSkill,
} from '../../../test/support/kernel.ts';
import { userKey, type Json, type Requester, type RunAccess } from '../../core/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';

const tool = (label: string): TestSkill => ({
  permission: label,
  matches: (spec: string, input: Json) => spec === input,
  run: (input) => done(`${label}:${JSON.stringify(input)}`),
});
const calls = (...names: readonly string[]): Run =>
  async function callAll(_input, scope) {
    const outputs: string[] = [];
    for (const name of names) outputs.push(said(await scope.call(name, 'a')));
    return done('', outputs);
  };
const skills = {
  report: calls('report-part', 'secret'),
  'report-part': (): ReturnType<Run> => done('part'),
  secret: (): ReturnType<Run> => done('secret'),
  tools: calls('look', 'act'),
  look: tool('Look'),
  act: tool('Act'),
};

describe('the access of a run', () => {
  const cases: readonly (readonly [access: RunAccess | undefined, skill: string, outcome: Json])[] = [
    [undefined, 'report', ['part', 'secret']],
    [{}, 'report', ['part', 'secret']],
    [{ skills: ['*'] }, 'report', ['part', 'secret']],
    [{ skills: ['REP*'] }, 'report', ['part', 'policy.denied']],
    [{ skills: ['report'] }, 'report', ['policy.denied', 'policy.denied']],
    [{ skills: ['secret'] }, 'report', 'policy.denied'],
    [{ skills: [] }, 'report', 'policy.denied'],
    [{ skills: ['report.*'] }, 'report', 'policy.denied'],
    [{ allow: ['Look'] }, 'tools', ['Look:"a"', 'policy.denied']],
    [{ allow: ['Look(b)', 'Act(a)'] }, 'tools', ['policy.denied', 'Act:"a"']],
    [{ allow: [] }, 'tools', ['policy.denied', 'policy.denied']],
    [{ allow: ['Look'] }, 'report', ['part', 'secret']],
    [{ deny: ['Act(a)'] }, 'tools', ['Look:"a"', 'policy.denied']],
    [{ deny: ['Act(b)'] }, 'tools', ['Look:"a"', 'Act:"a"']],
    [{ allow: ['Look', 'Act'], deny: ['Look'] }, 'tools', ['policy.denied', 'Act:"a"']],
    [{ deny: ['Act'] }, 'act', 'policy.denied'],
  ];
  for (const [access, skill, outcome] of cases)
    test(`${JSON.stringify(access)} of ${skill} gives ${JSON.stringify(outcome)}`, async () => {
      await using agent = agentWith(skills);
      const result = await agent.run({ skill, input: 'a', ...(access && { access }) }).result;
      assert.deepEqual(result.ok ? valueOf(result) : result.error?.code, outcome);
    });

  test('does not widen what the project denies', async () => {
    await using agent = agentWith(skills, {
      policy: {
        decide: ({ skill }) =>
          skill === 'act' ? { decision: 'deny', reason: 'not here' } : { decision: 'allow' },
      },
    });
    const { value } = await agent.run({ skill: 'tools', access: { allow: ['Look', 'Act'] } }).result;
    assert.deepEqual(value, ['Look:"a"', 'policy.denied']);
  });

  test('decides which skills a prompt can reach and which names it reveals', async () => {
    const described = {
      invoices: { description: 'Pay the invoices of suppliers', run: () => done('invoices') },
      payroll: { description: 'Pay the salaries of employees', run: () => done('payroll') },
    };
    await using agent = agentWith(described);
    const run = (prompt: string, access?: RunAccess) => agent.run({ prompt, ...(access && { access }) });
    assert.equal((await run('pay the salaries of employees').result).text, 'payroll');
    const { runId, ...result } = await run('pay the salaries of employees', { skills: ['invoices'] }).result;
    assert.notEqual(result.text, 'payroll');
    assert.ok(!JSON.stringify([result, await agent.runs.events(runId)]).includes('payroll'));
  });

  test('stays with the run: after a restart, and in a rerun', async () => {
    const waits: Run = async (_input, scope) => {
      await scope.ask('Well?');
      return done('', said(await scope.call('secret', 'a')));
    };
    const all = { ...skills, waits };
    const store = createMemoryStore();
    const first = agentWith(all, { store });
    const request = { skill: 'waits', access: { skills: ['waits'] }, client: 'k1' };
    const { runId } = await first.run(request).result;
    await first.shutdown();
    await using agent = agentWith(all, { store });
    await agent.runs.answer(runId, 'yes');
    assert.equal(valueOf(await agent.runs.resume(runId).result), 'policy.denied');
    const again = await agent.runs.rerun(runId).result;
    await agent.runs.answer(again.runId, 'yes');
    assert.equal(valueOf(await agent.runs.resume(again.runId).result), 'policy.denied');
    for (const id of [runId, again.runId])
      assert.equal(ofType(await agent.runs.events(id), 'run.started')[0]?.client, 'k1');
  });
});

describe('who answers, decides and cancels', () => {
  const by: Requester = { user: 'anna', client: 'k1' };
  const actor = { user: userKey('anna'), client: 'k1' };
  const asks: Run = async (_input, scope) => done('', await scope.ask('Well?'));

  test('is recorded with an answer, an approval and the end of a run', async () => {
    await using agent = agentWith({ ...skills, asks }, { policy: askAbout('act') });
    const asked = await agent.run({ skill: 'asks' }).result;
    for (const answer of ['yes']) await agent.runs.answer(asked.runId, answer, undefined, by);
    assert.equal(valueOf(await agent.runs.resume(asked.runId).result), 'yes');
    assert.deepEqual(ofType(await agent.runs.events(asked.runId), 'input.resolved')[0]?.actor, actor);

    const act = await agent.run({ skill: 'tools' }).result;
    await agent.runs.approve(act.runId, act.question?.id ?? '', { allow: 'once' }, by);
    assert.deepEqual(valueOf(await agent.runs.resume(act.runId).result), ['Look:"a"', 'Act:"a"']);
    assert.deepEqual(ofType(await agent.runs.events(act.runId), 'approval.resolved')[0]?.actor, actor);

    const cancelled = await agent.run({ skill: 'asks' }).result;
    assert.ok(await agent.runs.cancel(cancelled.runId, 'Enough.', by));
    assert.deepEqual(ofType(await agent.runs.events(cancelled.runId), 'run.ended')[0]?.actor, actor);
  });

  test('is recorded if the run is in progress, and with a prompt that answers', async () => {
    const started = Promise.withResolvers<undefined>();
    const hangs: Run = (_input, scope) =>
      new Promise((_resolve, reject) => {
        started.resolve(undefined);
        scope.signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    await using agent = agentWith({ hangs, asks });
    const handle = agent.run({ skill: 'hangs' });
    await started.promise;
    assert.ok(await agent.runs.cancel(handle.id, undefined, by));
    assert.deepEqual(ofType(await agent.runs.events(handle.id), 'run.ended')[0]?.actor, actor);

    const user = { id: 'anna' };
    const { runId } = await agent.run({ prompt: '/asks', session: 's', user }).result;
    const answered = await agent.run({ prompt: 'yes', session: 's', user, client: 'k1' }).result;
    assert.equal(answered.runId, runId);
    assert.deepEqual(ofType(await agent.runs.events(runId), 'input.resolved')[0]?.actor, actor);
  });

  test('an answer that looks like a stored answer is still only an answer', async () => {
    await using agent = agentWith({ asks });
    for (const requester of [undefined, by]) {
      const { runId } = await agent.run({ skill: 'asks' }).result;
      const answer = { $given: true, answer: 'other', actor: { user: 'forged' } };
      await agent.runs.answer(runId, answer, undefined, requester);
      assert.deepEqual(valueOf(await agent.runs.resume(runId).result), answer);
      const [resolved] = ofType(await agent.runs.events(runId), 'input.resolved');
      assert.deepEqual(resolved?.actor, requester && actor);
    }
  });
});
