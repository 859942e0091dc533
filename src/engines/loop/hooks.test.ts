import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Output } from '../../core/run.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { createHooks } from './hooks.ts';

const call = { tool: 'Bash', input: { command: 'ls' } };
const done: Output = { status: 'done', text: 'ok' };
const failing = (): Promise<never> => Promise.reject(new Error('no luck'));

describe('the hooks of a host', () => {
  test('are asked with the call and the key, and have the first word', async () => {
    const asked: unknown[] = [];
    const scope = createTestScope({
      call: (name, input, options) => {
        asked.push([name, input, options]);
        return { status: 'done', text: '', value: { objection: `${name} objects.` } };
      },
    });
    const hooks = createHooks(scope, {
      before: (given, key) => Promise.resolve(key === 'c1.1' ? `No ${given.tool}.` : undefined),
    });
    hooks.listen({ name: 'guard', hooks: ['before'] });
    assert.equal(await hooks.before(call, 'c1.1'), 'No Bash.');
    assert.deepEqual(asked, [], 'one objection is enough');
    assert.equal(await hooks.before(call, 'c1.2'), 'guard objects.');
    const options = { mode: 'hook', asWritten: true, key: 'c1.2.before@guard' };
    assert.deepEqual(asked, [['guard', { moment: 'before', ...call }, options]]);
  });

  test('that fail keep a call from happening, and are noted at other moments', async () => {
    const notes: string[] = [];
    const scope = createTestScope({ note: (message) => void notes.push(message) });
    const hooks = createHooks(scope, { before: failing, after: failing, stop: failing });
    assert.equal(await hooks.before(call, 'k'), 'no luck');
    assert.equal(await hooks.after(call, done, 'k'), undefined);
    assert.equal(await hooks.stop('Ready.', 'k'), undefined);
    assert.deepEqual(notes, ['no luck', 'no luck']);
  });
});

describe('the hooks of loaded skills', () => {
  test('are asked in the order in which these were loaded, each once, and all are reported', async () => {
    const scope = createTestScope({
      call: (name) => ({ status: 'done', text: '', value: { objection: `${name}!` } }),
    });
    const hooks = createHooks(scope);
    for (const name of ['one', 'two', 'one']) hooks.listen({ name, hooks: ['after'] });
    assert.equal(await hooks.after(call, done, 'k'), 'one!\n\ntwo!');
    assert.equal(await hooks.stop('Ready.', 'k'), undefined);
  });

  test('that they share run once, for the first of the skills, and not if the host already runs them', async () => {
    for (const [sharedId, expected] of [
      [undefined, ['one shared', 'two']],
      ['p', ['two']],
    ] as const) {
      const asked: string[] = [];
      const scope = createTestScope({
        call: (name, input) => {
          asked.push((input as { shared?: true }).shared === true ? `${name} shared` : name);
          return { status: 'done', text: '', value: {} };
        },
      });
      const hooks = createHooks(scope, { ...(sharedId === undefined ? {} : { sharedId }) });
      const sharedHooks = { id: 'p', moments: ['before'] } as const;
      hooks.listen({ name: 'one', hooks: [], sharedHooks });
      hooks.listen({ name: 'two', hooks: ['before'], sharedHooks });
      await hooks.before(call, 'k');
      await hooks.after(call, done, 'k');
      assert.deepEqual(asked, expected);
    }
  });

  test('say nothing by a value that is none, and object by a blank one', async () => {
    for (const [value, said] of [
      [null, undefined],
      [{ objection: 7 }, undefined],
      [{ objection: ' ' }, 'A hook of "one" raised an objection without giving a reason.'],
    ] as const) {
      const hooks = createHooks(createTestScope({ call: () => ({ status: 'done', text: '', value }) }));
      hooks.listen({ name: 'one', hooks: ['stop'] });
      assert.equal(await hooks.stop('Ready.', 'k'), said);
    }
  });
});
