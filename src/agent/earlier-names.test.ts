/* eslint-disable @typescript-eslint/no-deprecated -- the names of release 0.1 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, hang, ofType, type Run } from '../../test/support/kernel.ts';
import { approvalAsked, begin, log, waiting } from '../../test/support/events.ts';
import { tree } from '../../test/support/tree.ts';
import type { Database } from '../core/database.ts';
import { hashOf } from '../core/json/normalize.ts';
import { createScriptedModel } from '../models/scripted.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { findProtectedPaths } from './protected-paths.ts';

const shows: Run = (_input, scope) => done('', [scope.run.session, ...scope.run.roles]);

describe('the user of a request as release 0.1 gave it', () => {
  test('is joined with the roles; what a current request says goes first', async () => {
    await using agent = agentWith({ shows });
    const show = async (user: unknown, roles?: readonly string[]): Promise<unknown> => {
      const request = { skill: 'shows', session: 's', user: user as never, roles: roles as never };
      const result = await agent.run(request).result;
      return result.ok ? result.value : codeOf(result);
    };
    assert.deepEqual(await show({ id: 'ann', roles: ['a'] }, ['b']), ['s', 'a']);
    assert.deepEqual(await show({ id: 'ann' }, ['b']), ['s', 'b']);
    assert.deepEqual(await show('ann', ['b']), ['s', 'b']);
    assert.equal(await show('bob', ['b']), 'policy.denied', 'the session is that of ann');
    assert.equal(await show(null, ['b']), 'policy.denied', 'nobody is not ann');
  });

  test('is refused where it is none, with roles as without: a user whose id is a number would own nothing', async () => {
    await using agent = agentWith({ shows });
    for (const user of [42, true, ['ann'], { id: 42 }])
      for (const roles of [undefined, ['editor']]) {
        const request = { skill: 'shows', user: user as never, ...(roles === undefined ? {} : { roles }) };
        assert.equal(codeOf(await agent.run(request).result), 'usage.bad-input', JSON.stringify(request));
      }
    for (const user of [42, true])
      for (const roles of [undefined, ['editor']])
        await assert.rejects(agent.session('s', user as never, roles).skill('shows'), {
          code: 'usage.bad-input',
        });
    const result = { type: 'array' };
    assert.deepEqual(await agent.session('t', null as never, ['editor']).skill('shows', { result }), [
      't',
      'editor',
    ]);
    assert.deepEqual(await agent.session('u', null as never).skill('shows', { result }), ['u']);
  });
});

describe('what a session is made with', () => {
  const usage = { inputTokens: 1, outputTokens: 1, cost: 0.4 };
  const model = createScriptedModel(() => ({ text: 'Yes.', usage }));

  test('bounds its calls, also one that says how many steps it may take', async () => {
    await using agent = agentWith(
      {
        twice: { instructions: 'Ask.' },
        outer: async (_input, scope) => {
          const spent = await scope.call('twice', 'x');
          return scope.call('twice', spent.text);
        },
      },
      { models: model },
    );
    for (const limits of [{ cost: 0.3 }, { money: 0.3 }])
      await assert.rejects(agent.session('s', { limits }).skill('outer', { maxTicks: 9 }), {
        code: 'limit.money',
      });
  });

  test('its signal ends a call that has one of its own', async () => {
    await using agent = agentWith({ waits: async (_input, scope) => hang(scope.signal) });
    const [ofSession, ofCall] = [new AbortController(), new AbortController()];
    const { signal } = ofSession;
    const called = agent.session('s', { signal }).skill('waits', { signal: ofCall.signal });
    setImmediate(() => {
      ofSession.abort();
    });
    await assert.rejects(called, { code: 'usage.cancelled' });
  });
});

test('a rule about the assistant by its name in release 0.1 still forbids it', async () => {
  for (const rule of ['Skill((ad-hoc))', 'Skill(ad-hoc)', 'Skill((assistant))']) {
    const models = createScriptedModel(() => 'Hi.');
    await using agent = agentWith({}, { models, permissions: { deny: [rule] } });
    const result = await agent.executePrompt('Xylophone lessons on Tuesday: note down who wants some.');
    assert.deepEqual([result.skill, codeOf(result)], ['(assistant)', 'policy.denied'], rule);
    const unmatched = agent.skills.diagnostics().filter(({ code }) => code === 'rule.unmatched');
    assert.deepEqual(unmatched, [], rule);
  }
});

test('the assistant of a log of release 0.1 has its current name wherever it is shown', async () => {
  const store = createMemoryStore();
  const epoch = await store.claim('r_old', 'gone');
  const entries = [...begin('(ad-hoc)'), approvalAsked('f1', 'k1', 'shows', '(ad-hoc)'), waiting('q_k1')];
  await store.append('r_old', epoch, log(...entries));
  await store.release(new Map([['r_old', epoch]]));
  await using agent = agentWith({ shows }, { store });
  const [listed] = await agent.runs.list();
  const [pending] = await agent.runs.pending();
  const { skill, question } = await agent.runs.result('r_old');
  const [asks, ofResult] = [pending?.asks, question?.asks];
  const shown = [
    listed?.skill,
    (await agent.runs.find('r_old')).skill,
    asks?.caller,
    skill,
    ofResult?.caller,
  ];
  assert.deepEqual(shown, Array(5).fill('(assistant)'));
  assert.ok(!JSON.stringify([listed, pending, question]).includes('ad-hoc'));
});

test('a database that was written for release 0.1 is hidden from processes like any other', () => {
  using files = tree({ 'own.db': '' });
  const database = { place: files.at('own.db') } as Partial<Database> as Database;
  const { hide } = findProtectedPaths({ workspace: files.path, database }, { environment: {} });
  assert.ok(hide?.includes(files.at('own.db')));
  const current = {
    location: files.at('new.db'),
    place: files.at('own.db'),
  } as Partial<Database> as Database;
  assert.ok(
    !findProtectedPaths({ workspace: files.path, database: current }, { environment: {} }).hide?.includes(
      files.at('own.db'),
    ),
  );
});

test('a snippet has the key that release 0.1 gave it, whatever its limit is called', async () => {
  const snippet = { code: 'return input', input: 1 };
  const runs: Run = async (_input, scope) => {
    await scope.processes.runSnippet({ ...snippet, mostOutput: 50 });
    await scope.processes.runSnippet({ ...snippet, maxOutput: 50 });
    await scope.processes.runSnippet(snippet);
    return done();
  };
  await using agent = agentWith({ runs });
  const { runId, error } = await agent.run({ skill: 'runs' }).result;
  assert.equal(error, undefined);
  const keys = ofType(await agent.runs.events(runId), 'step.started').map(({ key }) => key);
  const [limited, free] = [{ ...snippet, mostOutput: 50 }, snippet].map((one) => hashOf([one, []]));
  assert.deepEqual(
    keys.map((key) => [limited, free].findIndex((hash) => key.includes(hash ?? '?'))),
    [0, 0, 1],
    keys.join(', '),
  );
});
