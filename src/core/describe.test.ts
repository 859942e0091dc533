import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleOfText, nowhere } from './bundle.ts';
import { describeFromBody } from './describe.ts';
import type { Issue } from './issue.ts';

function describe(text: string): readonly [string, ...string[]] {
  const issues: Issue[] = [];
  const description = describeFromBody(bundleOfText(text, nowhere), issues);
  return [description, ...issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`)];
}

test('the first line that is no heading, without its markup', () => {
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
