import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SkillCard } from '../../core/skill.ts';
import { configure } from './configure.ts';

const configured = (settings: JsonObject, card: Partial<SkillCard> = {}): ReturnType<typeof configure> =>
  configure(settings, { description: 'x', ...card });

test('what settings turn on comes with the tools that it takes, where the file has any', () => {
  const cardOf = (settings: JsonObject, allowedTools?: readonly string[]): object =>
    configured(settings, allowedTools === undefined ? {} : { allowedTools }).card;
  assert.deepEqual(cardOf({ skillInjection: 'light', inheritSkills: true }, ['bash']), {
    allowedTools: ['bash', 'Read', 'Skill'],
  });
  assert.deepEqual(cardOf({ skillInjection: 'light' }, ['Read(docs/**)']), {
    allowedTools: ['Read(docs/**)'],
  });
  assert.deepEqual(cardOf({ skillInjection: 'light' }, []), { allowedTools: [] });
  assert.deepEqual(cardOf({ skillInjection: 'light' }), {});
});

test('settings change the model, tools, skills, the way they are given, and what is inherited', () => {
  assert.deepEqual(
    configured({
      model: 'plan',
      tools: 'find, ask-user, helper',
      skills: ['My Skill', 'tmux', 'tmux'],
      skillInjection: 'light',
      inheritProjectContext: true,
      inheritSkills: false,
    }),
    {
      card: { allowedTools: ['glob', 'AskUser', 'helper', 'Skill(helper)', 'Read'] },
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
  assert.deepEqual(configured({}), { card: {}, definition: {} });
  assert.deepEqual(configured({ tools: [] }), { card: { allowedTools: [] }, definition: { tools: [] } });
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
      () => configured(settings),
      (thrown) =>
        isAgentError(thrown) &&
        thrown.code === 'usage.bad-settings' &&
        thrown.message.includes(`"${key}" of a subagent`) &&
        thrown.hint !== undefined,
      key,
    );
  }
  assert.throws(() => configured({ skilInjection: 'full' }), { hint: 'Did you mean "skillInjection"?' });
});
