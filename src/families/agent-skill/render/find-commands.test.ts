import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCommands } from './find-commands.ts';

function commandsIn(body: string): readonly string[] {
  return findCommands(body).map(({ start, from, to, line }) => {
    assert.equal(body.slice(0, start).split(/\r\n?|\n/).length, line);
    return body.slice(from, to);
  });
}

describe('a command is found', () => {
  const cases: Readonly<Record<string, readonly [body: string, ...commands: readonly string[]]>> = {
    'at the start of the text': ['!`id`', 'id'],
    'at the start of a line': ['a\n!`id`\nb', 'id'],
    'behind a blank': ['Status: !`git status --short` now', 'git status --short'],
    'behind a tab': ['Status:\t!`id`', 'id'],
    'behind a blank that is not ASCII': ['a\u00a0!`id`', 'id'],
    'in a heading': ['## On !`git branch` ##\n', 'git branch'],
    'at the start of a heading': ['# !`id`', 'id'],
    'in a heading that is underlined': ['a\n  !`id`\nb\n===\n', 'id'],
    'in a list': ['- a\n- !`id`\n', 'id'],
    'in a list with numbers': ['1. !`one`\n2) !`two`', 'one', 'two'],
    'in a list in a list': ['- a\n  - b\n\n    !`id`\n', 'id'],
    'in a heading in a list': ['- # # !`id` #\n', 'id'],
    'behind a box to tick': ['- [ ] !`id`', 'id'],
    'between brackets that make no link': ['see [ !`id` ]', 'id'],
    'in bold text': ['**Now: !`id` **', 'id'],
    'behind an HTML tag that nothing closes': ['for <name> !`id`', 'id'],
    'behind an HTML element': ['<b>a</b> !`id` <b>c</b>', 'id'],
    'twice in a line': ['a !`one` b !`two`', 'one', 'two'],
    'with blanks around it': ['!` id `', ' id '],
    'with longer runs of backticks in it': ['!`a `` b`', 'a `` b'],
    'on a line that hangs over': ['- a\nlazy !`id`\n', 'id'],
    'behind tabs': ['-\ta\n\n\t!`id`\n', 'id'],
    'between lines that end as on Windows': ['a\r\nb !`id`\r\nc !`ls`', 'id', 'ls'],
    'between lines that end as on an old Mac': ['a\rb !`id`\rc', 'id'],
    'behind a NUL character': ['a\0 !`id\0`', 'id\0'],
    'in front of a paragraph that is the same': ['!`id` !`id`\n\n!`id`', 'id', 'id', 'id'],
    'behind a definition of a link': ['[a]: /b\n!`id`', 'id'],
    'in a fence': ['```!\nnode -v\ngit status\n```\n', 'node -v\ngit status\n'],
    'in a fence at the very end': ['a\n```!\nid\n```', 'id\n'],
    'in a fence that a longer one closes': ['```!\nid\n`````  \nb', 'id\n'],
    'in a fence with blanks behind its bang': ['```! \nid\n```', 'id\n'],
    'in a fence with a blank before its bang': ['``` !\nid\n```', 'id\n'],
    'in a fence in which spans are only text': ['```!\necho !`id`\n```\n!`ls`', 'echo !`id`\n', 'ls'],
    'in a fence on Windows': ['```!\r\nid\r\n```\r\n', 'id\r\n'],
    'in an empty fence, which is one without a command': ['```!\n```', ''],
    'in order': ['!`a`\n```!\nb\n```\n# !`c`', 'a', 'b\n', 'c'],
  };
  for (const [what, [body, ...commands]] of Object.entries(cases)) {
    test(what, () => {
      assert.deepEqual(commandsIn(body), commands);
    });
  }
});

describe('no command is found', () => {
  const cases: Readonly<Record<string, string>> = {
    'in prose about the sign': '`!` triggers history expansion (`set +H` turns it off)',
    'in a table': '| a | b |\n|---|---|\n| `Float!` | `Float!` |\n| !`id` | !`id` |\n',
    'in plain code': 'Use `id` here! `id`',
    'right behind a word': 'k=!`id` w!`id` (!`id`) **!`id`**',
    'behind a backslash': '\\!`id`',
    'in front of a backslash': '!\\`id`',
    'in double backticks': '!``id``',
    'in double backticks with more inside': '`` !`id` ``',
    'in a longer code span': '` !``id`` `',
    'over two lines': '!`a\nb`',
    'without an end': '!`id',
    'without content': '!` `',
    'in a quote': '> ```!\n> id\n> ```\n> !`id`\nlazy !`id`',
    'in a list in a quote': '> - !`id`',
    'in a quote in a list': '- > !`id`\n  >\n  > - !`id`',
    'in a link': '[see !`id` now](x) [ !`id` ][a] [ !`id` ]\n\n[a]: /b\n[!`id`]: /c',
    'in an image': '![see !`id` now](x)',
    'in the title of a link': '[a](b "c !`id` d")',
    'in an HTML block': '<div>\n!`id`\n</div>\n\n<!-- \n\n!`id`\n\n-->',
    'in an HTML comment in a line': 'a <!-- !`id` --> b',
    'in an HTML tag': 'a <b title=" !`id` "> b',
    'in an HTML element': 'a <kbd><b> !`id` </b></kbd> b',
    'in code that is indented': 'a\n\n    !`id`\n\n    ```!\n    id\n    ```',
    'in another fence': '```md\n!`id`\n```\n~~~\n!`id`\n~~~',
    'in a longer fence': '````md\n```!\nid\n```\n````',
    'in a fence of four': '````!\nid\n````',
    'in a fence of tildes': '~~~!\nid\n~~~',
    'in a fence that says more':
      '```bash !\nid\n```\n\n```!x\nid\n```\n\n```! bash\nid\n```\n\n```!!\nid\n```',
    'in a fence that is not at the edge': ' ```!\nid\n ```',
    'in a fence in a list': '- a\n\n  ```!\n  id\n  ```\n- ```!\n  id\n  ```',
    'in a fence without an end': '```!\nid\n',
    'in a fence that only begins': '```!',
    'in a reference': '[a]: /b " !`id` "',
  };
  for (const [what, body] of Object.entries(cases)) {
    test(what, () => {
      assert.deepEqual(commandsIn(body), []);
    });
  }
});
