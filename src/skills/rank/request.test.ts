import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { finished } from '../../../test/support/deadline.ts';
import { anyCharacter } from '../../testing/garbage.ts';
import { Ranker } from './ranker.ts';
import { askOf, isGeneralQuestion } from './request.ts';

const mixed: readonly (readonly [prompt: string, ask: string])[] = [
  ['We run a shop. Please translate the label. It is red.', 'Please translate the label.'],
  ['The shop is slow. Can you find out why? Thanks a lot.', 'Can you find out why?'],
  ['We moved last year. I need a new logo.', 'I need a new logo.'],
  ['The table has ten rows.\nConvert it to JSON.\nThe rows are long.', 'Convert it to JSON.'],
  ['Background: a shop.\n- Write a test\n- Fix the bug', '- Write a test - Fix the bug'],
  ['It rains. Task: summarize the report. It is long.', 'Task: summarize the report.'],
  ['Invoices are late. How do I send reminders', 'How do I send reminders'],
  ['The build is red. I’d like it green. It is Monday.', 'I’d like it green.'],
];
for (const [prompt, ask] of mixed) {
  test(`ask: the question in "${prompt.replaceAll('\n', ' ')}" is found`, () =>
    assert.equal(askOf(prompt), ask));
}

test('ask: where nothing asks, the first two sentences do', () => {
  assert.equal(askOf('The build is red. It was green. Nobody knows.'), 'The build is red. It was green.');
});

test('ask: code is not a sentence', () => {
  assert.equal(askOf('Please fix this.\n```\nplease(); // can you?\n```\n'), 'Please fix this.');
  assert.equal(askOf('Please fix this.\n```\nplease('), 'Please fix this.');
  assert.equal(askOf('```\nonly code\n```'), '');
});

test('ask: a verb in another case, and as part of another word', () => {
  assert.equal(askOf('It is big. CONVERT it. Thanks.'), 'CONVERT it.');
  assert.equal(askOf('It is big. It is red. Additional rows follow.'), 'It is big. It is red.');
});

test('ask: an ask is never long', () => {
  assert.ok(askOf('Please convert it. '.repeat(1000)).length <= 600);
  assert.ok(askOf(`Please ${'x'.repeat(100_000)}`).length <= 600);
});

const general = [
  'What is the capital of France?',
  'Why is the sky blue?',
  'how tall is mount everest',
  'Who wrote Hamlet?',
  'Is light a wave?',
];
for (const prompt of general) {
  test(`ask: "${prompt}" is a question about the world`, () => assert.equal(isGeneralQuestion(prompt), true));
}

const own = [
  'What is wrong with my build?',
  'Why does our shop lose orders?',
  'How do I read src/table.ts?',
  'What does `parse` return?',
  'Why is readFile slow?',
  'What does max_size mean?',
  'Which flag is --force?',
  'Is report.xlsx valid?',
  'What changed in 2.1?',
  "what is it that i'm missing",
  'Convert the table.',
  '',
];
for (const prompt of own) {
  test(`ask: "${prompt}" is not a question about the world`, () =>
    assert.equal(isGeneralQuestion(prompt), false));
}

test('ask: any text has an ask of its own words', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.lorem({ mode: 'sentences' })), (text) => {
      const ask = askOf(text);
      assert.equal(askOf(text), ask);
      assert.ok(ask.length <= Math.min(600, text.length));
      assert.equal(typeof isGeneralQuestion(text), 'boolean');
    }),
  );
});

test('ask: a prompt of repeated marks is read in time that grows with it alone', () => {
  const units = [
    '? ',
    '?',
    '. ',
    '.',
    '\n',
    ' ',
    '- ',
    '#',
    '```',
    '`',
    '1.)',
    'please ',
    'i want ',
    'task: ',
    '/',
  ];
  for (const unit of units) {
    for (const start of ['', 'What ', 'task', '? ']) {
      const text = start + unit.repeat(Math.ceil(500_000 / unit.length));
      finished(`${start}${unit}…`, () => [askOf(text), isGeneralQuestion(text)]);
    }
  }
});

const makers = ['skill', 'agent'].map((what) => ({
  name: `${what}-creator`,
  description: `Create a new ${what} and improve it. Use when users want a ${what} of their own.`,
  body: `Ask what the ${what} is for.`,
}));
const others = ['slides', 'invoices', 'posters', 'letters'].map((what) => ({
  name: what,
  description: `Create and edit ${what}. Use when an agent needs ${what}.`,
  body: 'Follow this skill step by step.',
}));
function foundAmong(skills: readonly (typeof others)[number][], prompt: string): string | undefined {
  const ranker = new Ranker();
  for (const skill of skills) ranker.add(skill.name, skill);
  const { ranked, sure, threshold } = ranker.rank(prompt);
  return sure < threshold ? undefined : ranked[0]?.key;
}

for (const what of ['skill', 'agent'])
  for (const prompt of [
    `create a new ${what}`,
    `create a ${what}`,
    `I want a new ${what}`,
    `improve this ${what}`,
  ])
    test(`common words count where a skill is named after them: ${prompt}`, () => {
      assert.equal(foundAmong([...others, ...makers], prompt), `${what}-creator`);
    });

test('common words: "skill" says nothing where every skill only mentions it', () => {
  assert.equal(foundAmong(others, 'use a skill for it'), undefined);
});
