import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, said, textOf, valueOf, type Run } from '../../test/support/kernel.ts';
import { isJsonObject, type Json } from '../core/json.ts';

/** Sets what it is given, fails when told to, and says what was there. */
const note: Run = async (input, scope) => {
  const { key = 'k', value, forget, fail } = isJsonObject(input) ? input : {};
  const before = await scope.memory.get(textOf(key));
  if (value !== undefined) scope.memory.set(textOf(key), value);
  if (forget === true) scope.memory.delete(textOf(key));
  const after = await scope.memory.get(textOf(key));
  if (fail === true) throw new Error('no');
  return done('', [before ?? 'none', after ?? 'none']);
};

describe('the memory of a session', () => {
  test('has what an ended call left, and a call sees its own writes at once', async () => {
    await using agent = agentWith({ note });
    assert.deepEqual(valueOf(await agent.run({ skill: 'note', input: { value: 1 } }).result), ['none', 1]);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note', input: { value: { a: [2] } } }).result), [
      1,
      { a: [2] },
    ]);
    const last = agent.run({ skill: 'note', input: { forget: true } });
    assert.deepEqual(valueOf(await last.result), [{ a: [2] }, 'none']);
    const events = await agent.runs.events(last.id);
    assert.deepEqual(ofType(events, 'frame.ended')[0]?.forgot, ['k']);
    assert.equal(ofType(events, 'step.ended').length, 2);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note' }).result), ['none', 'none']);
  });

  test('has nothing of a call that failed', async () => {
    await using agent = agentWith({ note });
    await agent.run({ skill: 'note', input: { value: 1 } }).result;
    const failed = agent.run({ skill: 'note', input: { value: 2, fail: true } });
    assert.equal((await failed.result).status, 'failed');
    assert.equal(ofType(await agent.runs.events(failed.id), 'frame.ended')[0]?.memory, undefined);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note' }).result), [1, 1]);
  });

  test('shows the writes of a child to later calls only after it ended', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        const during = scope.call('slow', null);
        const meanwhile = await scope.call('read', 1);
        await scope.step('go', () => {
          go.resolve(undefined);
          return 1;
        });
        await during;
        return done(`${said(meanwhile)} ${said(await scope.call('slow', 'read'))}`);
      },
      slow: async (input, scope) => {
        if (input === 'read') return done(textOf(await scope.memory.get('k')));
        scope.memory.set('k', 'set');
        await scope.step('wait', () => go.promise.then(() => 1));
        return done();
      },
      read: async (_input, scope) => done(textOf(await scope.memory.get('k'))),
    });
    const go = Promise.withResolvers<undefined>();
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'null set');
  });

  test('is apart for each skill and each session', async () => {
    await using agent = agentWith({ note, other: note });
    await agent.run({ skill: 'note', input: { value: 1 }, session: 'a' }).result;
    assert.deepEqual(valueOf(await agent.run({ skill: 'other', session: 'a' }).result), ['none', 'none']);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note', session: 'b' }).result), ['none', 'none']);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note' }).result), ['none', 'none']);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note', session: 'a' }).result), [1, 1]);
  });

  test('takes any key and any session for what it is', async () => {
    await using agent = agentWith({ note });
    for (const odd of ['__proto__', '', 'constructor', 'a/b', '../note/k', '\u0000', '😀']) {
      for (const request of [
        { input: { key: odd, value: odd } as Json },
        { session: odd, input: { value: odd } as Json },
      ]) {
        assert.deepEqual(valueOf(await agent.run({ skill: 'note', ...request }).result), ['none', odd]);
        const again = agent.run({ skill: 'note', ...request });
        assert.deepEqual(valueOf(await again.result), [odd, odd]);
        const kept = ofType(await agent.runs.events(again.id), 'frame.ended')[0]?.memory ?? {};
        assert.deepEqual(Object.values(kept), [odd]);
      }
    }
    assert.equal(Object.hasOwn(Object.prototype, 'k'), false);
  });

  test('keeps what JSON keeps, without secrets, and nothing of a later change', async () => {
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const value = { at: new Date(0), secret: 'open-sesame-1234' };
          scope.memory.set('k', value as unknown as Json);
          value.secret = 'changed';
          return done('', (await scope.memory.get('k')) ?? null);
        },
      },
      { secrets: ['open-sesame-1234'] },
    );
    assert.deepEqual(valueOf(await agent.run({ skill: 'top' }).result), {
      at: '1970-01-01T00:00:00.000Z',
      secret: '[redacted]',
    });
  });
});
