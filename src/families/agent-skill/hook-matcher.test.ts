import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meansTool, readMatcher } from './hook-matcher.ts';

const means = (matcher: string, tool: string): boolean => {
  const names = readMatcher(matcher);
  assert.ok(names !== undefined, `${matcher} is a matcher`);
  return meansTool(names, tool);
};

for (const [matcher, meant, others] of [
  ['', ['Bash', 'Read'], []],
  ['*', ['Bash', 'Read'], []],
  ['.*', ['Bash', 'x'], []],
  ['Bash', ['Bash', 'bash', 'BASH'], ['BashOutput', 'MyBash', 'Read', '']],
  ['Edit|Write', ['Edit', 'Write'], ['EditWrite', 'Read']],
  ['Edit | Write', ['Edit', 'Write'], ['Read']],
  ['^(Edit|Write)$', ['Edit', 'Write'], ['Rewrite']],
  ['(?:Edit|Write)', ['Edit', 'Write'], ['Read']],
  ['^Edit$|^Write$', ['Edit', 'Write'], ['Read']],
  ['Web.*', ['WebFetch', 'WebSearch'], ['Bash']],
  ['mcp__memory__.*', ['mcp__memory__read'], ['mcp__other__read']],
  ['mcp__*', ['mcp__memory__read'], ['Read']],
] as const) {
  test(`the matcher "${matcher}"`, () => {
    for (const tool of meant) assert.equal(means(matcher, tool), true, tool);
    for (const tool of others) assert.equal(means(matcher, tool), false, tool);
  });
}

test('what only a whole regular expression could say is no matcher', () => {
  for (const matcher of ['(a+)+b', '[A-Z].*', 'Bash(git *)', 'a{2}', '\\w+', 'Edit||Write', 'a?']) {
    assert.equal(readMatcher(matcher), undefined, matcher);
  }
});
