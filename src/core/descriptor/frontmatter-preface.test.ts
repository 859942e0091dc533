import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitText as split } from '../../../test/support/split-text.ts';

const fields = 'name: a\ndescription: b\n';

test('frontmatter below a comment or a title is found and reported', () => {
  const late = (above: string, line: number): unknown => ({
    head: fields,
    headLine: line + 1,
    body: 'body\n',
    bodyLine: line + 4,
    issues: [`late:${line}`],
    above,
  });
  for (const [above, line] of [
    ['<!-- a comment -->\n', 2],
    ['<!--\na comment\n---\nin lines\n-->\n\n', 7],
    ['# A title\n', 2],
    ['\n# A title\n\n', 4],
    ['<!-- a comment -->\n\n## A title\n\n', 5],
  ] as const) {
    const found = split(`${above}---\n${fields}---\nbody\n`);
    assert.deepEqual({ ...(found as object), above }, late(above, line));
  }
});

test('frontmatter after invisible characters is found and reported', () => {
  for (const [above, line] of [
    ['\ufeff', 1],
    ['\u200b', 1],
    ['ï»¿', 1],
    ['\ufeff\n', 2],
    ['\u200b\n\n', 3],
  ] as const) {
    assert.deepEqual(split(`${above}---\n${fields}---\nbody\n`), {
      head: fields,
      headLine: line + 1,
      body: 'body\n',
      bodyLine: line + 4,
      issues: [`late:${line}`],
    });
  }
});

test('frontmatter in a code fence is found, and the lines of the code fence are in neither part', () => {
  const inFence = { head: fields, bodyLine: 7, issues: ['fenced:2'] };
  for (const open of ['```yaml', '```', '~~~', '````markdown']) {
    const close = /^[`~]+/.exec(open)?.[0] ?? '';
    assert.deepEqual(split(`${open}\n---\n${fields}---\n${close}\nbody\n`), {
      ...inFence,
      headLine: 3,
      body: 'body\n',
    });
    assert.deepEqual(split(`${open}\n---\n${fields}---\nbody\n${close}\n`), {
      ...inFence,
      headLine: 3,
      body: 'body\n',
      bodyLine: 6,
    });
    assert.deepEqual(split(`${open}\n${fields}${close}\nbody\n`), {
      ...inFence,
      headLine: 2,
      body: 'body\n',
      bodyLine: 5,
    });
  }
  assert.deepEqual(split(`\`\`\`markdown\n---\n${fields}---\n\`\`\`sh\nls\n\`\`\`\n\`\`\`\n`), {
    ...inFence,
    headLine: 3,
    body: '```sh\nls\n```\n',
    bodyLine: 6,
  });
});

test('a rule or an example below a title or comment is not frontmatter', () => {
  for (const text of [
    `# Title\n\n\`\`\`yaml\n---\n${fields}---\n\`\`\`\n`,
    `# Title\n\nSome text.\n\n---\n${fields}---\n`,
    '# Title\n---\nname: a\n---\n',
    `# Title\n---\n${fields}\nprose without a closing fence\n`,
    '<!-- a comment -->\n---\nNote: x\n---\n',
    `<!-- a comment --> text\n---\n${fields}---\n`,
    `<!-- never closed\n---\n${fields}---\n`,
    `\`\`\`sh\n---\n${fields}---\n\`\`\`\n`,
    '```\nname: a\n```\n',
  ]) {
    assert.deepEqual(split(text), { head: undefined, headLine: 1, body: text, bodyLine: 1, issues: [] });
  }
});
