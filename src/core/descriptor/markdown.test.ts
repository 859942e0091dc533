import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstFence, firstParagraph, listItems, outline, trimBlankLines } from './markdown.ts';

const titles = (body: string): readonly string[] =>
  outline(body).headings.map((heading) => `${heading.level} ${heading.title}`);

test('headings of all levels, ATX and setext, with their lines and text', () => {
  const body = 'before\n\n# One #\ntext 1\n\nTwo\n===\n\n  text 2  \n\nThree\nlines\n---\n### Four\n\n\n';
  assert.deepEqual(outline(body, 10), {
    preamble: 'before',
    headings: [
      { level: 1, title: 'One', line: 12, text: 'text 1', textLine: 13 },
      { level: 1, title: 'Two', line: 15, text: '  text 2', textLine: 18 },
      { level: 2, title: 'Three\nlines', line: 20, text: '', textLine: 23 },
      { level: 3, title: 'Four', line: 23, text: '', textLine: 24 },
    ],
  });
});

test('headings in fences, quotes, comments, HTML, lists and code are text', () => {
  for (const hidden of [
    '```\n# no\n```',
    '~~~sh\n# no\n~~~',
    '````\n```\n# no\n```\n````',
    '```\n# no, never closed',
    '> # no',
    '- # no',
    '1. a\n\n   # no',
    '<!--\n# no\n-->',
    '<div>\n# no\n</div>',
    '    # no',
    '\\# no',
    '#no',
    '####### no',
    '| a |\n|---|\n| # no |',
  ]) {
    assert.deepEqual(titles(`# yes\n\n${hidden}`), ['1 yes'], hidden);
  }
});

test('titles lose their markup and a colon at the end', () => {
  assert.deepEqual(titles('# **Bold**\n# `code` here\n# __Under__:\n# Colon：\n# **Prompt:**\n#\n# a*b'), [
    '1 Bold',
    '1 code here',
    '1 Under',
    '1 Colon',
    '1 Prompt',
    '1 ',
    '1 a*b',
  ]);
});

test('a text without headings is all preamble', () => {
  assert.deepEqual(outline('\n\n  some text\n\n'), { preamble: '  some text', headings: [] });
  assert.deepEqual(outline(''), { preamble: '', headings: [] });
});

test('the first paragraph is one line without its markup', () => {
  assert.equal(
    firstParagraph('# Title\n\n```\ncode\n```\n\nSome **bold**\n  and `code`:\nmore\n\nnext'),
    'Some bold and code: more',
  );
  assert.equal(firstParagraph('- item one\n- item two'), 'item one');
  assert.equal(firstParagraph('> quoted'), 'quoted');
  assert.equal(firstParagraph('<!-- comment -->\n\ntext'), 'text');
  for (const text of ['# Only a title', '```\ncode\n```', '<!-- comment -->', '    code', '---'])
    assert.equal(firstParagraph(text), '', text);
  assert.equal(firstParagraph(''), '');
});

test('list items are lines without bullet, number and code marks', () => {
  assert.deepEqual(
    listItems('- one\n* `two`\n+  three \n1. four\n2) five\nsix\n\n-\n  - seven\n<!-- none -->\n-eight'),
    [...['one', 'two', 'three', 'four', 'five', 'six', 'seven', '-eight']],
  );
  assert.deepEqual(listItems(''), []);
});

test('the first fence of a language, with the line it opens on', () => {
  const text = 'intro\n\n```sh\nls\n```\n\n```JSON title="x"\n{"a": 1}\n```\n';
  assert.deepEqual(firstFence(text, ['json']), { content: '{"a": 1}\n', line: 7 });
  assert.deepEqual(firstFence(text), { content: 'ls\n', line: 3 });
  assert.equal(firstFence(text, ['yaml']), undefined);
  assert.equal(firstFence('no fence'), undefined);
  assert.deepEqual(firstFence('```json\n{"never": "closed"}', ['json']), {
    content: '{"never": "closed"}',
    line: 1,
  });
});

test('blank lines around a text go, the blanks at its start stay', () => {
  assert.equal(trimBlankLines(['', ' \t', '  a', '', 'b  ', '', ' ']), '  a\n\nb');
  assert.equal(trimBlankLines([]), '');
  assert.equal(trimBlankLines([' ']), '');
});
