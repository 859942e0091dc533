import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, flowFamily, flowsIn, flowText } from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';

test('a family renders its skill with the arguments, for a place, and nothing runs', async () => {
  using files = tree({ 'skills/hello/FLOW.md': flowText('hello', 'Say hello.') });
  const family = flowFamily({
    text: {
      render: (body, input, { session, skillDir, projectDir }) => ({
        text: `${body} ${JSON.stringify(input)} ${session} ${String(skillDir)} ${String(projectDir)}`,
        commands: [],
        replacements: [],
      }),
    },
  });
  await using agent = agentWith({}, flowsIn(files.path, family));
  const at = `${files.at('skills/hello')} ${files.path}`;
  assert.equal(agent.render('hello').text, `Say hello. null default ${at}`);
  const { text } = agent.render('project:hello', { args: { a: 1 }, session: 'ann' });
  assert.equal(text, `Say hello. {"a":1} ann ${at}`);
  assert.deepEqual(await agent.runs.list(), []);
});

test('arguments that the skill does not take are refused', async () => {
  using files = tree({ 'skills/hello/FLOW.md': flowText('hello', 'Say hello.') });
  const family = flowFamily({
    parse: () => ({
      name: 'hello',
      card: { description: 'Greets.', input: { type: 'object', required: ['name'] } },
      definition: 'Say hello.',
      issues: [],
    }),
    text: { render: (text) => ({ text, commands: [], replacements: [] }) },
  });
  await using agent = agentWith({}, flowsIn(files.path, family));
  assert.throws(() => agent.render('hello', { args: 'Ann' }), { code: 'usage.bad-input' });
  assert.equal(agent.render('hello', { args: { name: 'Ann' } }).text, 'Say hello.');
});

test('a skill without text and an unknown skill are errors', async () => {
  await using agent = agentWith({ made: () => done() });
  assert.throws(() => agent.render('made'), {
    code: 'usage.bad-input',
    message: /"made" .* has no text to render/,
  });
  assert.throws(() => agent.render('mad'), { code: 'skill.not-found', hint: /"made"/ });
});
