import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitText as split } from '../../../test/support/split-text.ts';
import { splitFrontmatter } from './frontmatter-split.ts';

test('two ordinary fences', () => {
  assert.deepEqual(split('---\na: b\n---\nbody\n'), {
    head: 'a: b\n',
    headLine: 2,
    body: 'body\n',
    bodyLine: 4,
    issues: [],
  });
  assert.deepEqual(split('---\na: b\n---'), {
    head: 'a: b\n',
    headLine: 2,
    body: '',
    bodyLine: 4,
    issues: [],
  });
});

test('fences may be followed by blanks, and the opening one by a comment', () => {
  assert.deepEqual(split('--- \t\na: b\n---  \nbody'), {
    head: 'a: b\n',
    headLine: 2,
    body: 'body',
    bodyLine: 4,
    issues: [],
  });
  assert.deepEqual(split('--- # yaml\na: b\n---\n'), {
    head: 'a: b\n',
    headLine: 2,
    body: '',
    bodyLine: 4,
    issues: [],
  });
});

test('blank lines before the opening fence are reported', () => {
  assert.deepEqual(split('\n  \n---\na: b\n---\nbody'), {
    head: 'a: b\n',
    headLine: 4,
    body: 'body',
    bodyLine: 6,
    issues: ['late:3'],
  });
});

test('an indented fence is found and reported', () => {
  assert.deepEqual(split('---\na: b\n  ---\nbody\n'), {
    head: 'a: b\n',
    headLine: 2,
    body: 'body\n',
    bodyLine: 4,
    issues: ['indented-fence:3'],
  });
  assert.deepEqual(split(' ---\n a: b\n ---\nbody\n'), {
    head: ' a: b\n',
    headLine: 2,
    body: 'body\n',
    bodyLine: 4,
    issues: ['indented-fence:1', 'indented-fence:3'],
  });
});

test('an indented closing fence wins over a rule in the body', () => {
  const expected = { head: 'a: b\n', headLine: 2, bodyLine: 4, issues: ['indented-fence:3'] };
  assert.deepEqual(split('---\na: b\n ---\n# Title\n\ntext\n\n---\nmore\n'), {
    ...expected,
    body: '# Title\n\ntext\n\n---\nmore\n',
  });
  assert.deepEqual(split('---\na: b\n ---\ntext\n\n---\nmore\n'), {
    ...expected,
    body: 'text\n\n---\nmore\n',
  });
});

test('an indented fence in a block of text is part of it', () => {
  const head = 'a: |\n  one\n  ---\n  # two\n  three\nb: c\n';
  assert.deepEqual(split(`---\n${head}---\nbody`), {
    head,
    headLine: 2,
    body: 'body',
    bodyLine: 9,
    issues: [],
  });
});

test('a missing closing fence: the head ends with its last field', () => {
  const text = '---\nname: a\ndescription: b\n  c\ntools:\n- d\n\n# Title\n\nbody\n';
  assert.deepEqual(split(text), {
    head: 'name: a\ndescription: b\n  c\ntools:\n- d\n',
    headLine: 2,
    body: '\n# Title\n\nbody\n',
    bodyLine: 7,
    issues: ['unclosed:6'],
  });
  assert.deepEqual(split('---\nname: a\n'), {
    head: 'name: a\n',
    headLine: 2,
    body: '',
    bodyLine: 3,
    issues: ['unclosed:2'],
  });
});

test('a missing closing fence is not mistaken for a rule in the body', () => {
  assert.deepEqual(split('---\nname: a\n\n# Title\n\nSome text.\n\n---\n\nmore\n'), {
    head: 'name: a\n',
    headLine: 2,
    body: '\n# Title\n\nSome text.\n\n---\n\nmore\n',
    bodyLine: 3,
    issues: ['unclosed:2'],
  });
});

test('in an unclosed head a list or a sentence with a colon after a blank line is body', () => {
  const body = (text: string): unknown => text.slice(splitFrontmatter(text).bodyStart);
  assert.equal(body('---\nname: a\n\n- first step\n'), '\n- first step\n');
  assert.equal(body('---\nname: a\n\nUse it for: things\n'), '\nUse it for: things\n');
  assert.equal(body('---\nname: a\n\ndescription: b\ntext\n'), 'text\n');
});

test('comments in a head are not headings', () => {
  const head = '# about\nname: a\n\n# more\ntools: b\ncontinued without indentation\n';
  assert.deepEqual(split(`---\n${head}---\nbody`), {
    head,
    headLine: 2,
    body: 'body',
    bodyLine: 9,
    issues: [],
  });
});

test('a rule at the top of a body is not a fence', () => {
  for (const text of [
    '---',
    '---\n',
    '---\n\nHello\n',
    '---\n# Title\n\nNote: x\n',
    '---\n# Title\ntext\n---\nmore\n',
  ]) {
    assert.deepEqual(split(text), { head: undefined, headLine: 1, body: text, bodyLine: 1, issues: [] });
  }
});

test('a missing opening fence: name and description at the top, in any order', () => {
  assert.deepEqual(split('name: a\ndescription: b\n---\nbody\n'), {
    head: 'name: a\ndescription: b\n',
    headLine: 1,
    body: 'body\n',
    bodyLine: 4,
    issues: ['unopened:1'],
  });
  assert.deepEqual(split('\nDescription: b\n  c\nName: a\n\n# Title\n'), {
    head: 'Description: b\n  c\nName: a\n',
    headLine: 2,
    body: '\n# Title\n',
    bodyLine: 5,
    issues: ['unopened:2'],
  });
  assert.deepEqual(split('name: a\r\ndescription: b\r\n---\r\nbody'), {
    head: 'name: a\r\ndescription: b\r\n',
    headLine: 1,
    body: 'body',
    bodyLine: 4,
    issues: ['unopened:1'],
  });
});

test('one field at the top of a text is not a head', () => {
  for (const text of [
    'name: a\n\nbody\n',
    'Note: a\ndescription: b\nname: c\n',
    '# name: a\ndescription: b\n',
  ]) {
    assert.deepEqual(split(text), { head: undefined, headLine: 1, body: text, bodyLine: 1, issues: [] });
  }
});

test('a fence that asks for a language is never executed: its head is left out with a finding', () => {
  for (const language of ['js', 'javascript', 'json', 'coffee', 'toml']) {
    for (const text of [
      `---${language}\n{ name: evil() }\n---\nbody\n`,
      `--- ${language}\n{ name: evil() }\n---\nbody\n`,
    ]) {
      assert.deepEqual(split(text), {
        head: '',
        headLine: 2,
        body: 'body\n',
        bodyLine: 4,
        issues: ['language:1'],
      });
      assert.equal(splitFrontmatter(text).issues[0]?.level, 'warning');
    }
  }
});

test('a fence that asks for YAML is read with a warning', () => {
  assert.deepEqual(split('---yaml\na: b\n---\n'), {
    head: 'a: b\n',
    headLine: 2,
    body: '',
    bodyLine: 4,
    issues: ['language:1'],
  });
  assert.equal(splitFrontmatter('---YML\na: b\n---\n').issues[0]?.level, 'warning');
});

test('four dashes and dashes with other marks are not fences', () => {
  for (const text of ['----\na: b\n----\n', '- --\na: b\n', '---a b\nc: d\n---\n']) {
    assert.equal(splitFrontmatter(text).head, undefined);
  }
  assert.equal(splitFrontmatter('---\na: b\n----\nc: d\n---\n').head, 'a: b\n----\nc: d\n');
});
