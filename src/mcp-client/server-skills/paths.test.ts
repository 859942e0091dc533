import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSkillPaths } from './paths.ts';

const root = 'skill://acme/greet';

test('paths are what their addresses say, decoded', () => {
  const uris = ['SKILL.md', 'references/Q%26A.md', 'assets/%C3%BC.txt', '.hidden/file'].map(
    (end) => `${root}/${end}`,
  );
  const paths = readSkillPaths(root, uris);
  assert.ok(typeof paths !== 'string');
  assert.deepEqual([...paths.values()], ['SKILL.md', 'references/Q&A.md', 'assets/ü.txt', '.hidden/file']);
});

const hostile: Readonly<Record<string, readonly string[]>> = {
  'a parent': ['%2e%2e%2fx', '..%2fx'],
  'an encoded slash': ['a%2Fb', '%2Fetc%2Fpasswd'],
  'an empty part': ['a//b', '/a'],
  'a backslash': ['..%5c..%5cx', 'a%5Cb'],
  'a NUL': ['a%00.md'],
  'control and hidden characters': ['a%0Ab', 'a%1b[2J', 'a%E2%80%AEb', 'a%E2%80%8Bb'],
  'a drive or a stream': ['c:x', 'a.md:stream', 'a*', 'a?b'],
  'reserved names': ['con', 'NUL.txt', 'aux/x', 'com1.md', 'a.', 'a%20'],
  'the name of the origin': ['.server-origin.json', '.SERVER-origin.json'],
  'too long': ['x'.repeat(201), 'ab/'.repeat(150) + 'c'],
  'case twins': ['A.md|a.md', 'Docs/x|docs', 'docs|DOCS/x', '%EF%BC%A1.md|a.md'],
  'what cannot be decoded': ['%ff', '%'],
  'a query or a fragment': ['a#b'],
};
for (const [what, cases] of Object.entries(hostile)) {
  test(`${what}: refused`, () => {
    for (const given of cases) {
      const uris = given.split('|').map((end) => `${root}/${end}`);
      assert.equal(typeof readSkillPaths(root, uris), 'string', given);
    }
  });
}

test('other places than the folder of the skill: refused', () => {
  const elsewhere = [
    'skill://acme/greeting/x',
    'skill://other/greet/x',
    'file:///etc/passwd',
    'skill://acme/greet',
    'x',
    '',
  ];
  for (const uri of elsewhere) assert.equal(typeof readSkillPaths(root, [uri]), 'string', uri);
});
