import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import { meansTool, readMatcher, type Hook } from '../../core/index.ts';
import { parse } from './parse.ts';

const read = (hooks: string) =>
  parse(bundleOfText(`---\nname: x\ndescription: d\nhooks: ${hooks}\n---\nText.\n`, nowhere));
const hooksOf = (written: string): readonly Hook[] => read(written).definition?.hooks ?? [];
const found = (written: string): readonly string[] => {
  for (const { line } of read(written).issues) assert.equal(line, 4);
  return read(written).issues.map(({ code, message }) => `${code} ${message}`);
};

describe('hooks', () => {
  test('are read in the shape of Claude Code', () => {
    const written = `
  PreToolUse:
    - matcher: Edit|Write
      hooks:
        - type: command
          command: ./check.sh
          timeout: 5
          once: true
        - type: command
          command: ./other.sh
  PostToolUse:
    - hooks: [{type: command, command: ./format.sh}]
  Stop:
    - hooks: [{type: command, command: ./done.sh}]`;
    assert.deepEqual(hooksOf(written), [
      { moment: 'before', tools: ['edit', 'write'], command: './check.sh', seconds: 5, once: true },
      { moment: 'before', tools: ['edit', 'write'], command: './other.sh', seconds: 60 },
      { moment: 'after', command: './format.sh', seconds: 60 },
      { moment: 'stop', command: './done.sh', seconds: 60 },
    ]);
    assert.deepEqual(found(written), []);
  });

  test('may be short', () => {
    assert.deepEqual(
      hooksOf('{before: ./check.sh, after: [./a.sh, {matcher: Bash, command: ./b.sh}], stop: ./c.sh}'),
      [
        { moment: 'before', command: './check.sh', seconds: 60 },
        { moment: 'after', command: './a.sh', seconds: 60 },
        { moment: 'after', tools: ['bash'], command: './b.sh', seconds: 60 },
        { moment: 'stop', command: './c.sh', seconds: 60 },
      ],
    );
  });

  for (const [written, message] of [
    ['{SessionStart: ./a.sh}', 'The hook event "SessionStart" is not supported.'],
    ['{constructor2: ./a.sh}', 'The hook event "constructor2" is not supported.'],
    [
      '{before: {matcher: "(a+)+b", command: x}}',
      'The matcher "(a+)+b" of "before" is not supported, so its hooks do not run.',
    ],
    ['{before: {type: prompt, prompt: x}}', 'A hook of "before" has the unsupported type "prompt".'],
    ['{before: [{matcher: Bash}]}', 'A hook of "before" has no command.'],
    ['{before: " "}', 'A hook of "before" has no command.'],
    ['{before: [[x]]}', 'A hook of "before" has no command.'],
  ] as const) {
    test(`that cannot be used are reported: ${written}`, () => {
      assert.deepEqual(hooksOf(written), []);
      assert.deepEqual(found(written), [`hook.unused ${message}`]);
    });
  }

  test('with a time that cannot be kept get the usual one', () => {
    for (const timeout of ['0', '601', 'long', '-1']) {
      const written = `{before: {command: x, timeout: ${timeout}}}`;
      assert.deepEqual(hooksOf(written), [{ moment: 'before', command: 'x', seconds: 60 }]);
      assert.equal(found(written).length, 1);
    }
  });

  test('do not hide those beside them', () => {
    assert.deepEqual(hooksOf('{before: [{type: http}, ./a.sh]}'), [
      { moment: 'before', command: './a.sh', seconds: 60 },
    ]);
  });

  test('that are not a map are reported', () => {
    assert.deepEqual(found('x'), ['field.type "hooks" should be a map; it was ignored.']);
  });
});

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

test('what only a whole regular expression could say is not a matcher', () => {
  for (const matcher of ['(a+)+b', '[A-Z].*', 'Bash(git *)', 'a{2}', '\\w+', 'Edit||Write', 'a?']) {
    assert.equal(readMatcher(matcher), undefined, matcher);
  }
});
