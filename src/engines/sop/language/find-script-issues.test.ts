import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findScriptIssues } from './find-script-issues.ts';

const linesOf = (text: string): readonly string[] =>
  findScriptIssues({ text, line: 10 }).map(({ level, code, line }) => `${level} ${code}:${line}`);

test('a plan that can be read has no issue', () => {
  assert.deepEqual(linesOf('# first\n@a look at it\n@b final_answer $a'), []);
});

test('issues are reported on the lines of the file, with their column', () => {
  assert.deepEqual(findScriptIssues({ text: '@a look\n@b say "open', line: 10 }), [
    {
      level: 'error',
      code: 'script.syntax',
      message: 'Column 8: The string has no closing quote on its line.',
      hint: 'Close it with the same quote that opens it; write \\n for a new line, or put the text between --begin-text-- and --end-text--.',
      line: 11,
    },
  ]);
  assert.deepEqual(linesOf('prose\n@a\n@b say "'), [
    ...['error script.syntax:10', 'error script.syntax:11', 'error script.syntax:12'],
  ]);
});

test('what depends on the names of arguments, which are not known here, is not an issue', () => {
  assert.deepEqual(linesOf('@a say text="x "'), []);
  assert.deepEqual(linesOf('@a say text="x'), []);
});

test('commands are held against the allowed skills, basic ones aside', () => {
  const allowed = { has: (command: string) => command === 'look', names: ['look'] };
  const text = '@a look\n@b lok\n@c assign $b\n@d xyz\n@e cannot_complete "no way"';
  assert.deepEqual(
    findScriptIssues({ text, line: 1 }, allowed).map(({ line, message, hint }) => [line, message, hint]),
    [
      [2, 'The script calls "lok", which is not among the allowed skills.', 'Did you mean "look"?'],
      [
        4,
        'The script calls "xyz", which is not among the allowed skills.',
        'Allow the skill, or call a different one.',
      ],
    ],
  );
});
