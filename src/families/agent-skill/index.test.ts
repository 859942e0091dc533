import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import { parse } from './parse.ts';
import { runsCode } from './index.ts';

function runs(body: string, head = ''): boolean {
  const text = `---\nname: x\ndescription: Does x.\n${head}---\n${body}`;
  const { definition } = parse(bundleOfText(text, nowhere));
  assert.ok(definition !== undefined);
  return runsCode(definition);
}

describe('an agent skill runs code', () => {
  const cases: Readonly<Record<string, string>> = {
    'with a command in a line': 'Status: !`git status`\n',
    'with a command at the very start': '!`id`',
    'with a command in a list': '- now: !`id`\n',
    'with a fence': '```!\nid\n```\n',
    'with a fence between lines that end as on Windows': 'x\r\n\r\n```!\r\nid\r\n```\r\n',
  };
  for (const [what, body] of Object.entries(cases)) {
    test(what, () => {
      assert.equal(runs(body), true);
    });
  }

  test('with hooks', () => {
    assert.equal(runs('Prose.\n', 'hooks: {PreToolUse: [{command: id}]}\n'), true);
    assert.equal(runs('Prose.\n', 'hooks: {SessionStart: [{command: id}]}\n'), false);
  });

  test('but not with prose, code to read, or tools that it names', () => {
    const body = 'Be quick! Use `git status`.\n\n```sh\ngit status\n```\n\nWow!\n\n`Float!` is a type.\n';
    assert.equal(runs(body.replace('`Float!` is a type.', ''), 'allowed-tools: Bash(git *)\n'), false);
    assert.equal(runs(''), false);
  });

  for (const body of [
    'The sign `!` means more.\n',
    'x!`id`',
    '!``id``\n',
    '~~~!\nid\n~~~\n',
    '````!\nid\n````\n',
    '```bash !\nid\n```\n',
    '> ```!\n> id\n> ```\n',
    '> !`id`\n',
    '| a |\n|---|\n| !`id` |\n',
  ]) {
    test(`nor with ${JSON.stringify(body)}, which is text`, () => {
      assert.equal(runs(body), false);
    });
  }
});
