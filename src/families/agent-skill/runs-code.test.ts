import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/bundle.ts';
import { parse } from './parse.ts';
import { runsCode } from './runs-code.ts';

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
    'with a command right behind a word': 'x!`id`',
    'with a command of two backticks': '!``id``\n',
    'with a fence': '```!\nid\n```\n',
    'with a fence of tildes': '~~~!\nid\n~~~\n',
    'with a long fence': '``````!\nid\n``````\n',
    'with a fence that says more': '```bash !\nid\n```\n',
    'with a fence after a blank': '``` !\nid\n```\n',
    'with a fence in a list': '- x\n   ```!\n   id\n   ```\n',
    'with a fence in a quote': '> ```!\n> id\n> ```\n',
    'with lines that end as on Windows': 'x\r\n```!\r\nid\r\n```\r\n',
  };
  for (const [what, body] of Object.entries(cases)) {
    test(what, () => {
      assert.equal(runs(body), true);
    });
  }

  test('with hooks', () => {
    assert.equal(runs('Prose.\n', 'hooks: {PreToolUse: [{command: id}]}\n'), true);
  });

  test('but not with prose, code to read, or tools that it names', () => {
    const body = 'Be quick! Use `git status`.\n\n```sh\ngit status\n```\n\nWow!\n\n`Float!` is a type.\n';
    assert.equal(runs(body.replace('`Float!` is a type.', ''), 'allowed-tools: Bash(git *)\n'), false);
    assert.equal(runs(''), false);
  });

  test('or so it is taken for, with prose that looks like it', () => {
    assert.equal(runs('The sign `!` means more.\n'), true);
  });
});
