import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf } from '../../test/support/kernel.ts';
import { textOf } from '../../test/support/kernel.ts';

const steps = [
  { text: 'Read the file', status: 'done' },
  { text: 'Fix it', status: 'doing' },
  { text: 'Run the tests', status: 'pending' },
];

describe('todo', () => {
  test('shows the list, and keeps it for the session', async () => {
    await using agent = agentWith({});
    const set = await agent.run({ skill: 'todo', input: { items: steps }, session: 's' }).result;
    assert.equal(set.text, '[x] Read the file\n[>] Fix it\n[ ] Run the tests');
    assert.deepEqual(set.value, { items: steps });
    const read = await agent.run({ skill: 'todo', input: {}, session: 's' }).result;
    assert.deepEqual(read.value, { items: steps });
    const other = await agent.run({ skill: 'todo', input: {}, session: 't' }).result;
    assert.deepEqual(other.value, { items: [] });
  });

  test('accepts the names of other programs', async () => {
    await using agent = agentWith({});
    const todos = [
      { content: 'Read', status: 'completed', activeForm: 'Reading', id: '1' },
      { content: 'Fix', status: 'in_progress', priority: 'high' },
    ];
    const { value } = await agent.run({ skill: 'todo', input: { todos } }).result;
    assert.equal(
      textOf(value),
      textOf({
        items: [
          { text: 'Read', status: 'done' },
          { text: 'Fix', status: 'doing' },
        ],
      }),
    );
  });

  test('refuses two steps at once', async () => {
    await using agent = agentWith({});
    const items = ['a', 'b'].map((text) => ({ text, status: 'doing' }));
    assert.equal(codeOf(await agent.run({ skill: 'todo', input: { items } }).result), 'usage.bad-input');
  });
});
