import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../core/index.ts';
import { builtinFamilies } from '../families/index.ts';
import { checkDescription } from './check-description.ts';

const bundle = bundleOfText('---\nname: a\ndescription: x\n---\n', nowhere);

const codes = (description: string): readonly string[] =>
  checkDescription(description, bundle, builtinFamilies).map(({ code, line }) => `${code}:${line}`);

describe('a description that looks like a secret is reported', () => {
  for (const description of [
    `Deploys with ghp_${'a1B2c3D4e5'.repeat(4)}.`,
    `Deploys with sk-proj-${'a1B2c3D4e5'.repeat(4)}.`,
    'Connects to https://ann:hunter2@example.com/db.',
    'Calls the service. API_KEY=9f8e7d6c5b4a',
    'Logs in with password: hunter2hunter2',
    '9f8e7d6c5b4a39281706f5e4d3c2b1a0',
  ]) {
    test(description.slice(0, 40), () => {
      const [issue] = checkDescription(description, bundle, builtinFamilies);
      assert.deepEqual([issue?.code, issue?.line, issue?.standard], ['description.secret', 3, true]);
      const secret = description.split(/[\s=]/).at(-1) ?? '';
      assert.ok(!JSON.stringify(issue).includes(secret), 'the issue repeats the secret');
    });
  }

  for (const description of [
    'Rotates API keys and tokens. Use it when a password leaks.',
    'Token: explains how tokens are counted.',
    'Set OPENAI_API_KEY=<your key> first.',
    'Sends ETH to 0x52908400098527886E0F7030069857D2E4169EE7.',
    'Reads commit 9f8e7d6c5b4a39281706f5e4d3c2b1a0.',
  ])
    test(`but not "${description}"`, () => assert.deepEqual(codes(description), []));
});

describe('a description that is still a template is reported', () => {
  for (const description of [
    'TODO',
    'TODO: say what it does',
    '[TODO: Explain what the skill does]',
    '<describe what it does>',
    '<what this skill does>',
    '[Your description]',
    '{{description}}',
    'A skill that {{purpose}}',
    'Use this skill to [describe what agents can do].',
    'Your skill description here',
    'Add a description here.',
    'A brief description of what this skill does',
    'Description of the skill.',
    'Describe what this skill does',
    'Lorem ipsum dolor sit amet.',
    'placeholder',
  ])
    test(description, () => assert.deepEqual(codes(description), ['description.template:3']));

  test('also the text of our own templates, of every family that has one', () => {
    for (const family of builtinFamilies) {
      for (const [file, text] of Object.entries(family.authoring?.template?.('pots') ?? {})) {
        const { description } = family.parse(bundleOfText(text, nowhere)).card;
        if (file.endsWith('.md')) assert.equal(codes(description).length, 1, `${family.id} ${description}`);
      }
    }
  });

  for (const description of [
    'TODO list manager for teams.',
    'Collects TODO: comments from code.',
    'Fills `{{name}}` in templates.',
    'Renders Jinja templates such as {{ user }}.',
    'Explain what the code does.',
    'Writes a short description of this product for shops.',
    'Research <topic> in depth.',
    '[Beta] Plans a trip.',
    'Describes images.',
    'Replace old links in documents.',
  ])
    test(`but not "${description}"`, () => assert.deepEqual(codes(description), []));
});
