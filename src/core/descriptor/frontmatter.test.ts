import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished } from '../../../test/support/deadline.ts';
import { parseFrontmatter, type Frontmatter } from './frontmatter.ts';
import { defaultFrontmatterLimits } from './yaml.ts';

const codes = (head: Frontmatter): readonly string[] =>
  head.issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`);
const pairs = (head: Frontmatter): unknown => Object.fromEntries(head.fields);

test('a plain head is read without a finding', () => {
  const text = '---\nname: demo\ndescription: Does it.\n---\n\n# Demo\n';
  const head = parseFrontmatter(text);
  assert.deepEqual(pairs(head), { name: 'demo', description: 'Does it.' });
  assert.deepEqual(head.keys, ['name', 'description']);
  assert.deepEqual(head.issues, []);
  assert.equal(head.present, true);
  assert.equal(head.refused, false);
  assert.equal(text.slice(head.bodyStart), '\n# Demo\n');
  assert.equal(head.bodyLine, 5);
  assert.deepEqual(
    ['name', 'description', 'none'].map((key) => head.lineOf(key)),
    [2, 3, undefined],
  );
});

test('keys are compared without case, and blank, hyphen and underscore alike', () => {
  const head = parseFrontmatter('---\nName: x\nWhen_To Use: y\n---\n');
  assert.deepEqual(pairs(head), { name: 'x', 'when-to-use': 'y' });
  assert.deepEqual(head.keys, ['Name', 'When_To Use']);
  assert.equal(head.lineOf('when-to-use'), 3);
});

test('a key given twice: the first counts, in whatever spelling, and each later line is reported', () => {
  const head = parseFrontmatter('---\nname: one\nname: two\nNAME: three\nmetadata:\n  a: 1\n  a: 2\n---\n');
  assert.deepEqual(pairs(head), { name: 'one', metadata: { a: '1' } });
  assert.deepEqual(codes(head), [
    'frontmatter.repeated:3',
    'frontmatter.repeated:7',
    'frontmatter.repeated:4',
  ]);
  assert.ok(head.issues.every((issue) => issue.level === 'warning'));
});

test('a written null is absent, its key is still known, and a later value counts', () => {
  const head = parseFrontmatter('---\nname: ~\nlicense:\ntext: "null"\nName: real\n---\n');
  assert.deepEqual(pairs(head), { name: 'real', text: 'null' });
  assert.deepEqual(head.keys, ['name', 'license', 'text', 'Name']);
  assert.deepEqual(codes(head), ['frontmatter.repeated:5']);
});

test('a value that merely looks like a fence does not end the head', () => {
  const text = '---\nname: a---b\ndescription: |\n  one\n  ---\n  two --- three\n---\nbody\n';
  const head = parseFrontmatter(text);
  assert.deepEqual(pairs(head), { name: 'a---b', description: 'one\n---\ntwo --- three\n' });
  assert.deepEqual(head.issues, []);
  assert.equal(text.slice(head.bodyStart), 'body\n');
});

test('CRLF is read like LF and reported as information', () => {
  const text = '---\r\nname: x\r\ndescription: |\r\n  a\r\n  b\r\nquoted: "c\r\n  d"\r\n---\r\nbody\r\n';
  const head = parseFrontmatter(text);
  assert.deepEqual(pairs(head), { name: 'x', description: 'a\nb\n', quoted: 'c d' });
  assert.deepEqual(head.issues, [
    { level: 'info', code: 'text.crlf', message: 'The file uses CRLF line endings.' },
  ]);
  assert.equal(text.slice(head.bodyStart), 'body\r\n');
  assert.equal(head.bodyLine, 9);
  assert.equal(head.lineOf('quoted'), 6);
});

test('CR alone ends a line too', () => {
  const head = parseFrontmatter('---\rname: x\rdescription: y\r---\rbody\r');
  assert.deepEqual(pairs(head), { name: 'x', description: 'y' });
  assert.equal(head.bodyLine, 5);
  assert.equal(head.lineOf('description'), 3);
});

test('CRLF without frontmatter is reported too', () => {
  assert.deepEqual(codes(parseFrontmatter('# Title\r\n\r\ntext\r\n')), ['text.crlf:-']);
});

test('comments, an empty head and a head without a body are fine', () => {
  for (const text of ['---\n---\n', '---\n\n---\n', '---\n# nothing here\n---\n', '---\n---']) {
    const head = parseFrontmatter(text);
    assert.equal(head.present, true, text);
    assert.deepEqual([head.issues, head.keys], [[], []], text);
    assert.equal(head.bodyStart, text.length);
  }
});

test('text without frontmatter is all body', () => {
  for (const text of [
    '',
    '\n',
    'hello',
    '# Title\n',
    '----\nname: x\n----\n',
    '***\n',
    '-- -\na: b\n',
    '--- a b c\n',
  ]) {
    const head = parseFrontmatter(text);
    assert.deepEqual([head.present, head.bodyStart, head.bodyLine, head.issues], [false, 0, 1, []], text);
  }
});

test('unsafe keys are dropped and reported with their line', () => {
  const head = parseFrontmatter(
    '---\nname: x\n__proto__:\n  polluted: yes\nmetadata:\n  constructor: y\n---\n',
  );
  assert.deepEqual(pairs(head), { name: 'x', metadata: {} });
  assert.deepEqual(codes(head), ['frontmatter.dropped:3', 'frontmatter.dropped:6']);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('the limit of bytes: exactly is read, one more is refused whole', () => {
  const head = (bytes: number): string => `---\nname: ${'x'.repeat(bytes - 'name: \n'.length)}\n---\nbody\n`;
  const most = defaultFrontmatterLimits.frontmatterBytes;
  assert.equal(most, 65_536);
  assert.deepEqual(parseFrontmatter(head(most)).issues, []);
  const refused = parseFrontmatter(head(most + 1));
  assert.equal(refused.refused, true);
  assert.equal(refused.fields.size, 0);
  assert.deepEqual(codes(refused), ['frontmatter.limit:2']);
  assert.equal(refused.issues[0]?.level, 'error');
});

test('the limit of bytes counts bytes, not letters', () => {
  const head = `---\nname: ${'é'.repeat(32_765)}\n---\n`;
  assert.equal(parseFrontmatter(head).refused, true);
  assert.equal(parseFrontmatter(head.replace('éé', 'e')).refused, false);
});

test('the limit of keys: exactly is read, one more is refused whole', () => {
  const head = (keys: number): string =>
    `---\n${Array.from({ length: keys }, (_, index) => `k${index}: v\n`).join('')}---\n`;
  assert.equal(parseFrontmatter(head(200)).fields.size, 200);
  const refused = parseFrontmatter(head(201));
  assert.deepEqual(
    [refused.refused, refused.fields.size, codes(refused)],
    [true, 0, ['frontmatter.limit:202']],
  );
});

test('the limit of depth: exactly is read, one more is refused whole', () => {
  const head = (depth: number): string => `---\na: ${'['.repeat(depth - 1)}x${']'.repeat(depth - 1)}\n---\n`;
  assert.deepEqual(parseFrontmatter(head(8)).issues, []);
  const refused = parseFrontmatter(head(9));
  assert.deepEqual([refused.refused, codes(refused)], [true, ['frontmatter.limit:2']]);
});

test('limits hold for heads that need repair as well', () => {
  const broken = 'description: a: b\n';
  const keys = Array.from({ length: 200 }, (_, index) => `k${index}: v\n`).join('');
  assert.equal(parseFrontmatter(`---\n${broken}${keys}---\n`).refused, true);
  assert.equal(parseFrontmatter(`---\n${broken}${keys.replace('k0: v\n', '')}---\n`).fields.size, 200);
  const deep = `metadata: ${'['.repeat(8)}x${']'.repeat(8)}\n`;
  const refused = parseFrontmatter(`---\n${broken}${deep}---\n`);
  assert.deepEqual(
    [refused.refused, refused.fields.size, codes(refused).at(-1)],
    [true, 0, 'frontmatter.limit:3'],
  );
});

test('20,000 keys and a billion laughs are fast', () => {
  const keys = `---\n${Array.from({ length: 20_000 }, (_, index) => `k${index}: v\n`).join('')}---\n`;
  const laughs = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const [index, name] of 'bcdefghi'.split('').entries()) {
    laughs.push(
      `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[index] ?? ''}`).join(', ')}]`,
    );
  }
  assert.equal(parseFrontmatter(keys).refused, true);
  assert.equal(
    parseFrontmatter(keys, { ...defaultFrontmatterLimits, frontmatterBytes: 1_000_000 }).refused,
    true,
  );
  const laughing = finished('laughs', () => parseFrontmatter(`---\n${laughs.join('\n')}\n---\n`));
  assert.equal(laughing.fields.get('b'), '&b [*a, *a, *a, *a, *a, *a, *a, *a, *a]');
  assert.equal(laughing.issues.length, 9);
});
