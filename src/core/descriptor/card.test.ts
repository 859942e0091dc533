import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import type { SkillCard } from '../skill.ts';
import { bundleOfText, nowhere } from './bundle.ts';
import {
  cardFields,
  fitDescription,
  isPinned,
  longestDescription,
  readCard,
  requirementsOf,
} from './card.ts';
import { fieldsOf } from './fields.ts';

function read(head: string, description = 'Does it.'): { card: SkillCard; issues: readonly string[] } {
  const bundle = bundleOfText(`---\n${head}\n---\n`, nowhere);
  const issues: Issue[] = [];
  const card = readCard(fieldsOf(bundle.head, issues), description, bundle, issues);
  return { card, issues: issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`) };
}

test('a card without fields holds its description and nothing else', () => {
  assert.deepEqual(read('name: x'), { card: { description: 'Does it.' }, issues: [] });
});

test('the fields of a card', () => {
  const head = [
    'when_to_use: " often "',
    'arguments: file mode',
    'argument-hint: <file>',
    'tags: [a, b]',
    'paths: src/{a,b}/**, "my dir/*"',
    'metadata: {author: me, nested: {a: 1}}',
    'disable-model-invocation: yes',
    'user-invocable: OFF',
  ].join('\n');
  assert.deepEqual(read(head), {
    card: {
      description: 'Does it.',
      whenToUse: 'often',
      argumentNames: ['file', 'mode'],
      argumentHint: '<file>',
      tags: ['a', 'b'],
      paths: ['src/{a,b}/**', 'my dir/*'],
      metadata: { author: 'me', nested: { a: '1' } },
      modelInvocable: false,
      userInvocable: false,
    },
    issues: [],
  });
});

test('flags at their defaults are absent, and odd ones are reported and count as the default', () => {
  assert.deepEqual(read('disable-model-invocation: no\nuser-invocable: true'), {
    card: { description: 'Does it.' },
    issues: [],
  });
  assert.deepEqual(read('disable-model-invocation: sometimes\nuser-invocable: []'), {
    card: { description: 'Does it.' },
    issues: ['field.type:2', 'field.type:3'],
  });
});

test('metadata may be a JSON string; requirements come from it', () => {
  const { card, issues } = read(
    `metadata: '{"openclaw": {"requires": {"bins": ["git"]}, "__proto__": {"x": 1}}}'`,
  );
  assert.deepEqual(card.metadata, { openclaw: { requires: { bins: ['git'] } } });
  assert.deepEqual(card.requires, { bins: ['git'] });
  assert.deepEqual(issues, []);
});

test('metadata that is text, or a list, is left out with a finding', () => {
  for (const metadata of ['some text', '"{broken"', '[a]', "'[1]'"])
    assert.deepEqual(read(`metadata: ${metadata}`).issues, ['field.type:2'], metadata);
});

test('an argument hint in brackets is a hint, not a list', () => {
  assert.equal(read('argument-hint: [file]').card.argumentHint, '[file]');
  assert.equal(read('argument-hint: [a, b]').card.argumentHint, '[a, b]');
  assert.equal(read('argument-hint: [file] [mode]').card.argumentHint, '[file] [mode]');
  assert.deepEqual(read('argument-hint: [{a: b}]'), {
    card: { description: 'Does it.' },
    issues: ['field.type:2'],
  });
});

test('schemas are typed again', () => {
  const head =
    'input:\n  type: object\n  properties:\n    n: {type: integer, minimum: 1, default: 2}\n  additionalProperties: false\noutput: {type: string}';
  assert.deepEqual(read(head).card, {
    description: 'Does it.',
    input: {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, default: 2 } },
      additionalProperties: false,
    },
    output: { type: 'string' },
  });
});

test('what is not a schema is left out with an issue on its line', () => {
  assert.deepEqual(read('name: x\ninput: {file: string}\noutput: text'), {
    card: { description: 'Does it.' },
    issues: ['field.type:3', 'field.type:4'],
  });
});

test('hidden characters are reported with their position', () => {
  assert.deepEqual(read('name: x\ndescription: y', 'a\u200bb').issues, ['description.hidden:3']);
  assert.deepEqual(read('name: x\nwhen-to-use: "a\\u202Eb"').issues, ['description.hidden:3']);
  assert.deepEqual(read('name: x', 'All good 👩‍💻').issues, []);
});

test('a description is cut at 1,024 characters, counted as a reader counts them', () => {
  const issues: Issue[] = [];
  assert.equal(longestDescription, 1024);
  assert.equal(fitDescription('😀'.repeat(1024), issues, 3), '😀'.repeat(1024));
  assert.equal(issues.length, 0);
  assert.equal(fitDescription('😀'.repeat(1025), issues, 3), '😀'.repeat(1024));
  assert.deepEqual([issues[0]?.code, issues[0]?.line, issues[0]?.standard], ['description.long', 3, true]);
  fitDescription('x'.repeat(2000), issues);
  assert.ok(issues[1] !== undefined && !('line' in issues[1]));
});

test('a long description is shortened at the end of a sentence, and its examples go first', () => {
  const sentence = 'Use it to check the types, e.g. after a change of version 1.2.';
  const said = Array.from({ length: 10 }, () => sentence).join(' ');
  const example = `<example>${'A user asks. '.repeat(80)}</example>`;
  const fit = (text: string): string => fitDescription(text, []);
  for (const text of [`${said} ${example}`, `${said}\n\nExamples:\n${example}`])
    assert.equal(fit(text), said);
  assert.equal(fit(`${said} <example>Short.</example>`), `${said} <example>Short.</example>`);
  const many = Array.from({ length: 40 }, () => sentence).join(' ');
  assert.equal(fit(many), Array.from({ length: 16 }, () => sentence).join(' '));
  assert.match(fit(example), /^<example>A user asks.*A user asks\.$/s);
  assert.match(fit('many words '.repeat(200)), /^(?:many words )+(?:many words|many)$/);
  assert.match(fit('句子。'.repeat(500)), /^(?:句子。)+$/);
});

test('absent members stay absent', () => {
  assert.deepEqual(
    { ...optional('a', undefined), ...optional('b', false), ...optional('c', '') },
    { b: false, c: '' },
  );
});

test('the fields of a card are the ones it reads', () => {
  assert.ok(['name', 'description', 'when-to-use', 'metadata'].every((field) => cardFields.includes(field)));
});

test('nothing is required without a namespace that says so', () => {
  for (const metadata of [
    undefined,
    {},
    { author: 'me' },
    { skilled: {} },
    { skilled: 'text' },
    { openclaw: { emoji: '🎉' } },
  ]) {
    assert.equal(requirementsOf(metadata), undefined);
  }
});

test('everything a namespace can ask for is read', () => {
  const skilled = {
    os: ['darwin', 'linux'],
    requires: { bins: ['git', ' node '], anyBins: ['rg', 'grep'], env: ['API_KEY'], config: ['a.b'] },
    always: 'true',
    primaryEnv: ' API_KEY ',
    skillKey: 'other',
  };
  assert.deepEqual(requirementsOf({ skilled }), {
    os: ['darwin', 'linux'],
    bins: ['git', 'node'],
    anyBins: ['rg', 'grep'],
    env: ['API_KEY'],
    config: ['a.b'],
    always: true,
    primaryEnv: 'API_KEY',
    skillKey: 'other',
  });
});

test('the first namespace found counts, and none is merged', () => {
  const of = (name: string): object => ({ requires: { bins: [name] }, os: name });
  const all = { clawdbot: of('c'), openclaw: of('b'), skilled: { os: 'a' } };
  assert.deepEqual(requirementsOf(all as never), { os: ['a'] });
  assert.deepEqual(requirementsOf({ clawdbot: of('c'), openclaw: of('b') } as never), {
    os: ['b'],
    bins: ['b'],
  });
  assert.deepEqual(requirementsOf({ clawdbot: of('c') } as never), { os: ['c'], bins: ['c'] });
  assert.equal(requirementsOf({ skilled: {}, openclaw: of('b') } as never), undefined);
});

test('a namespace, or its requires, may be a JSON string', () => {
  assert.deepEqual(requirementsOf({ openclaw: ' {"requires": {"bins": ["git"]}, "always": true}' }), {
    bins: ['git'],
    always: true,
  });
  assert.deepEqual(requirementsOf({ openclaw: { requires: '{"env": ["KEY"]}' } }), { env: ['KEY'] });
  assert.equal(requirementsOf({ openclaw: '{"requires": ' }), undefined);
  assert.deepEqual(requirementsOf({ skilled: '{broken', openclaw: { os: 'linux' } }), { os: ['linux'] });
});

test('a list may be one word or words between commas', () => {
  assert.deepEqual(requirementsOf({ skilled: { os: 'linux, darwin,', requires: { bins: 'git' } } }), {
    os: ['linux', 'darwin'],
    bins: ['git'],
  });
});

test('what is not a name is not required', () => {
  assert.deepEqual(
    requirementsOf({
      skilled: { os: ['linux', null, { a: 'b' }, ['x'], ''], requires: ['git'], primaryEnv: ['X'] },
    }),
    { os: ['linux'] },
  );
});

test('always is on by any of its spellings', () => {
  for (const always of [true, 1, 'true', 'Yes', 'ON', '1', ' true '])
    assert.deepEqual(requirementsOf({ skilled: { always } }), { always: true });
  for (const always of [false, 0, 'false', 'no', 'maybe', '', null, { a: 'b' }])
    assert.equal(requirementsOf({ skilled: { always } }), undefined);
});

test('a skill is pinned by its own namespace only', () => {
  for (const pinned of [true, 'yes']) assert.equal(isPinned({ skilled: { pinned } }), true);
  assert.equal(isPinned({ skilled: '{"pinned": true}' }), true);
  for (const metadata of [undefined, { openclaw: { pinned: true } }, { skilled: { always: true } }])
    assert.equal(isPinned(metadata), false);
  const issues: Issue[] = [];
  assert.equal(isPinned({ skilled: { pinned: 'first' } }, issues), false);
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['field.type'],
  );
});

test('a namespace in a JSON string cannot reach a prototype', () => {
  assert.deepEqual(requirementsOf({ skilled: '{"__proto__": {"os": ["linux"]}, "skillKey": "k"}' }), {
    skillKey: 'k',
  });
});

test('keys are compared without case, also below the namespace', () => {
  const found = requirementsOf({
    Skilled: { OS: ['darwin'], Requires: { Bins: ['op'], any_bins: 'a, b' }, ALWAYS: 'yes' },
  });
  assert.deepEqual(found, { os: ['darwin'], bins: ['op'], always: true });
});

test('a requirement that cannot be read is never dropped without a word', () => {
  const issues: Issue[] = [];
  requirementsOf(
    { skilled: { always: 'maybe', primaryEnv: ['A'], requires: { bins: { a: 'b' }, env: ['X', null] } } },
    issues,
  );
  assert.deepEqual(
    issues.map(({ message }) => /^"(\w+)"/.exec(message)?.[1]),
    ['bins', 'env', 'always', 'primaryEnv'],
  );
  requirementsOf({ skilled: { requires: 'op' } }, issues);
  assert.match(issues.at(-1)?.message ?? '', /^"requires" in the metadata should be a map/);
});

test('a description with very many spaces is shortened at once', () => {
  const text = `a${' '.repeat(500_000)}b`;
  assert.ok(fitDescription(text, []).length <= longestDescription);
});
