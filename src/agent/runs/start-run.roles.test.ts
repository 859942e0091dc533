import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowsIn,
  flowText,
  ofType,
  textOf,
  valueOf,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { createMemoryStore } from '../../stores/memory.ts';

const shows: Run = (_input, scope) => done('', [...scope.run.roles]);
const roles = ['editor', 'Guest of honour'];

describe('the roles of the caller', () => {
  test('are what a skill sees, at any depth, and nothing unless given', async () => {
    const deep: Run = async (_input, scope) => {
      const output = await scope.call('shows', null);
      return done('', output.status === 'done' ? (output.value ?? null) : null);
    };
    await using agent = agentWith({ shows, deep });
    for (const skill of ['shows', 'deep']) {
      assert.deepEqual(valueOf(await agent.run({ skill, user: { roles } }).result), roles);
      assert.deepEqual(valueOf(await agent.run({ skill }).result), []);
      assert.deepEqual(valueOf(await agent.run({ skill, user: { roles: [] } }).result), []);
      const context = { user: { id: 'ann', roles } };
      assert.deepEqual(valueOf(await agent.executePrompt(`/${skill}`, { context })), roles);
    }
    const result = { type: 'array' };
    assert.deepEqual(
      await agent.session('s', { user: { id: 'ann', roles } }).skill('shows', { result }),
      roles,
    );
    assert.deepEqual(await agent.session('t').skill('shows', { result }), []);
  });

  test('are taken from nothing that is said', async () => {
    await using agent = agentWith({ shows });
    const input = { roles, user: { roles } };
    assert.deepEqual(valueOf(await agent.run({ skill: 'shows', input }).result), []);
    assert.deepEqual(valueOf(await agent.executePrompt('/shows roles: editor', { args: input })), []);
  });

  test('stay with the run: after a restart, for any answering user, and in a rerun', async () => {
    const waits: Run = async (_input, scope) => {
      await scope.ask('Well?');
      return done('', [...scope.run.roles]);
    };
    const store = createMemoryStore();
    const first = agentWith({ waits }, { store });
    const { runId } = await first.run({ prompt: '/waits', session: 's', user: { roles } }).result;
    await first.shutdown();
    await using agent = agentWith({ waits }, { store });
    const answered = await agent.run({ prompt: 'yes', session: 's', user: { roles: ['other'] } }).result;
    assert.deepEqual([answered.runId, valueOf(answered)], [runId, roles]);
    const again = await agent.runs.rerun(runId).result;
    await agent.runs.answer(again.runId, 'yes');
    assert.deepEqual(valueOf(await agent.runs.resume(again.runId).result), roles);
    const [begun] = ofType(await agent.runs.events(runId), 'run.started');
    assert.deepEqual(begun?.roles, roles);
  });

  test('are none for what prepares a skill', async () => {
    using files = tree({ 'skills/a/FLOW.md': flowText('a', 'a') });
    const family = flowFamily({
      execute: (prepared, _input, scope) =>
        Promise.resolve(done(`${textOf(prepared as string)}|${scope.run.roles.join()}`)),
      generation: { prepare: (_definition, scope) => Promise.resolve(scope.run.roles.join()) },
    });
    await using agent = agentWith({}, flowsIn(files.path, family));
    assert.equal((await agent.run({ skill: 'a', user: { roles } }).result).text, `|${roles.join()}`);
  });

  test('are a list of names', async () => {
    await using agent = agentWith({ shows });
    const many = Array.from({ length: 100 }, (_, index) => `role ${index}`);
    assert.deepEqual(valueOf(await agent.run({ skill: 'shows', user: { roles: many } }).result), many);
    for (const wrong of ['editor', [''], [' '], [5], {}, null, [...many, 'one more']]) {
      const result = await agent.run({ skill: 'shows', user: { roles: wrong as never } }).result;
      assert.equal(codeOf(result), 'usage.bad-input', JSON.stringify(wrong));
    }
    const context = { user: { roles: 'editor' as never } };
    assert.equal(codeOf(await agent.executePrompt('/shows', { context })), 'usage.bad-input');
  });
});
