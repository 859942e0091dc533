import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeSpan, pasteable, withPasteable } from './command-text.ts';

const spell = (command: string, fromAnywhere = false): string =>
  `${command.replace('skilled', 'npx skilled')} --cwd ${fromAnywhere ? '/a' : 'a'}`;
const plain = { color: false, spell };

const cases: readonly (readonly [what: string, text: string, shown: string])[] = [
  [
    'one at the end of a line is bare',
    'Take it up: `skilled resume r_1`',
    'Take it up: npx skilled resume r_1 --cwd a',
  ],
  [
    'and without the full stop, which is no part of it',
    'Run `skilled trust grant x`.',
    'Run npx skilled trust grant x --cwd a',
  ],
  ['also in every line of several', 'A:\n  `skilled list`\nB', 'A:\n  npx skilled list --cwd a\nB'],
  [
    'one in a sentence ends where it is said',
    '`skilled list` shows all.',
    '`npx skilled list --cwd a` shows all.',
  ],
  [
    'and so do two',
    'Allow it: `skilled approve q`; deny it: `skilled approve q --deny`',
    'Allow it: `npx skilled approve q --cwd a`; deny it: `npx skilled approve q --deny --cwd a`',
  ],
  ['variables belong to it', 'Try `KEY=x skilled run /y`', 'Try KEY=x npx skilled run /y --cwd a'],
  ['other code stays as it is', 'Use `npm install` or `skilled`.', 'Use `npm install` or `skilled`.'],
  ['and what has no backticks', 'skilled reads any folder of skills', 'skilled reads any folder of skills'],
];

describe('a text whose commands can be pasted', () => {
  for (const [what, text, shown] of cases)
    test(what, () => {
      assert.equal(pasteable(text, plain), shown);
    });

  test('with colours a command is bold', () => {
    const [bold, normal] = ['\u001b[1m', '\u001b[22m'];
    assert.equal(
      pasteable('`skilled list` shows all.', { ...plain, color: true }),
      `${bold}npx skilled list --cwd a${normal} shows all.`,
    );
    assert.equal(
      pasteable('Run `skilled list`.', { ...plain, color: true }),
      `Run ${bold}npx skilled list --cwd a${normal}`,
    );
  });

  test('in a document the backticks stay', () => {
    assert.equal(withPasteable('Run `skilled list`.', plain), 'Run `npx skilled list --cwd a`.');
    assert.equal(withPasteable('Run `skilled list`.', plain, true), 'Run `npx skilled list --cwd /a`.');
  });

  test('a command may have backticks in it', () => {
    const command = 'skilled config set x \'["Bash(`ls`)"]\'';
    assert.equal(pasteable(`Then: ${codeSpan(command)}`, { color: false }), `Then: ${command}`);
    assert.equal(codeSpan('skilled list'), '`skilled list`');
  });
});
