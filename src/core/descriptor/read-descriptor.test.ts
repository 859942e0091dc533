import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from '../issue.ts';
import { bundleOfText, nowhere } from './bundle.ts';
import { derived, describeFromBody, readHeaded, type Headed } from './read-descriptor.ts';
import { defaultFrontmatterLimits } from './yaml.ts';

function describe(text: string): readonly [string, ...string[]] {
  const issues: Issue[] = [];
  const description = describeFromBody(bundleOfText(text, nowhere), issues);
  return [description, ...issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`)];
}

test('the first line that is not a heading, without its markup', () => {
  assert.deepEqual(describe('---\nname: x\n---\n\n# Title\n\n- **Does** it __well__.\nMore.\n'), [
    'Does it well.',
    'description.derived:7',
  ]);
  assert.deepEqual(describe('> quoted'), ['quoted', 'description.derived:1']);
});

test('else the first heading', () => {
  assert.deepEqual(describe('\n## The Title\n\n---\n***\n'), ['The Title', 'description.derived:2']);
});

test('code, comments and rules come after all other text', () => {
  assert.equal(describe('```bash\nnpm install\n```\nReal text')[0], 'Real text');
  assert.equal(describe('~~~\n```\ncode\n~~~\nReal text')[0], 'Real text');
  assert.equal(describe('<!-- one -->\n<!--\ntwo\n-->\nReal text')[0], 'Real text');
  assert.deepEqual(describe('# Title\n```\ncode never closed'), ['Title', 'description.derived:1']);
  assert.deepEqual(describe('```\nonly code\n```'), ['only code', 'description.derived:2']);
});

test('without text it is empty, and nothing is reported', () => {
  for (const text of ['', '\n\n', '---\n---\n', '***', '🎉', '```js\n```', '<!-- x -->'])
    assert.deepEqual(describe(text), [''], text);
});

test('a long line is cut', () => {
  assert.deepEqual(describe('x'.repeat(2000)), [
    'x'.repeat(1024),
    'description.derived:1',
    'description.long:1',
  ]);
});

const names = { description: [], summary: [], prompt: [] };
const describedBy = ['description', 'summary', 'prompt'] as const;

const read = (text: string): Headed<keyof typeof names> =>
  readHeaded(bundleOfText(text, nowhere), names, describedBy);
const codes = (headed: Headed<keyof typeof names>): readonly string[] =>
  headed.issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`);

test('name from the title, description from its section', () => {
  const headed = read('# My Skill\n\n## Description\n\nDoes **it**\nwell.\n\nMore.\n');
  assert.deepEqual(
    [headed.name, headed.card.description, headed.usable, headed.issues],
    ['My Skill', 'Does it well.', true, []],
  );
});

test('name and description of the head come first', () => {
  const headed = read(
    '---\nname: " real "\ndescription: From the head.\ntags: [a]\n---\n# Title\n## Description\nFrom the body.\n',
  );
  assert.deepEqual(
    [headed.name, headed.card.description, headed.card.tags],
    ['real', 'From the head.', ['a']],
  );
  assert.deepEqual(headed.issues, []);
});

test('another section replaces the description, with an issue on its line', () => {
  const headed = read('# T\n## Prompt\np\n## Summary\ns\n');
  assert.equal(headed.card.description, 's');
  assert.deepEqual(codes(headed), ['description.derived:4']);
});

test('an empty description section falls to the next', () => {
  assert.equal(read('# T\n## Description\n\n## Prompt\np\n').card.description, 'p');
});

test('the text under the title, else the title, is the last resort', () => {
  assert.equal(read('# T\n\nIntro here.\n').card.description, 'Intro here.');
  assert.equal(read('Intro without title.\n').card.description, 'Intro without title.');
  assert.equal(read('# Only\n').card.description, 'Only');
  assert.deepEqual(codes(read('\n\n# Only\n')), ['description.derived:3']);
});

test('without any text it is unusable', () => {
  for (const text of ['', '\n\n', '---\nname: x\n---\n', '```\ncode\n```\n']) {
    const headed = read(text);
    assert.equal(headed.usable, false, text);
    assert.equal(codes(headed).at(-1), 'descriptor.empty:1');
  }
});

test('past a limit it is unusable, and only the limit is blamed', () => {
  const bundle = bundleOfText('---\na: 1\nb: 2\n---\n# T\n## Description\nx\n', nowhere, {
    ...defaultFrontmatterLimits,
    frontmatterKeys: 1,
  });
  const headed = readHeaded(bundle, names, describedBy);
  assert.equal(headed.usable, false);
  assert.deepEqual(codes(headed), ['frontmatter.limit:3']);
});

test('findings of decoding, head and sections come together', () => {
  const headed = read('\ufeff---\nname: a: b\n---\n# T\n## Descripton\nx\n');
  assert.deepEqual(codes(headed), [
    'text.bom:-',
    'frontmatter.repaired:2',
    'section.unknown:5',
    'description.derived:4',
  ]);
});

test('a description that is too long is cut with its line', () => {
  const headed = read(`# T\n## Description\n${'x'.repeat(1100)}`);
  assert.equal(headed.card.description.length, 1024);
  assert.deepEqual(codes(headed), ['description.long:2']);
  assert.deepEqual(codes(read(`---\nname: x\ndescription: ${'x'.repeat(1100)}\n---\n`)), [
    'description.long:3',
  ]);
});

test('the finding for a made-up description needs no line', () => {
  assert.ok(!('line' in derived('nowhere', undefined)));
});
