import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { configure } from './configure.ts';

test('settings change the model, tools, skills, the way they are given, and what is inherited', () => {
  assert.deepEqual(
    configure({
      model: 'plan',
      tools: 'find, ask-user, helper',
      skills: ['My Skill', 'tmux', 'tmux'],
      skillInjection: 'light',
      inheritProjectContext: true,
      inheritSkills: false,
    }),
    {
      card: { allowedTools: ['glob', 'AskUser', 'helper', 'Skill(helper)'] },
      definition: {
        model: 'plan',
        tools: ['glob', 'ask-user', 'helper'],
        skills: ['My Skill', 'tmux'],
        skillInjection: 'light',
        inheritProjectContext: true,
        inheritSkills: false,
      },
    },
  );
  assert.deepEqual(configure({}), { card: {}, definition: {} });
  assert.deepEqual(configure({ tools: [] }), { card: { allowedTools: [] }, definition: { tools: [] } });
});

test('a key or a value that cannot be taken is refused by its name', () => {
  const wrong: readonly JsonObject[] = [
    { model: '' },
    { model: 1 },
    { tools: null },
    { tools: [1] },
    { skills: { a: true } },
    { skillInjection: 'lazy' },
    { inheritProjectContext: 'yes' },
    { inheritSkills: 1 },
    { output: 'x.md' },
    { constructor: 'x' },
  ];
  for (const settings of wrong) {
    const [key = ''] = Object.keys(settings);
    assert.throws(
      () => configure(settings),
      (thrown) =>
        isAgentError(thrown) &&
        thrown.code === 'usage.bad-settings' &&
        thrown.message.startsWith(`"${key}" `) &&
        thrown.hint !== undefined,
      key,
    );
  }
  assert.throws(() => configure({ skilInjection: 'full' }), { hint: 'Did you mean "skillInjection"?' });
});
