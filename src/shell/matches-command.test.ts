import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesCommand } from './matches-command.ts';

// A rule, the simple commands that it means, and those that it does not.
const rules: readonly (readonly [rule: string, meant: readonly string[], others: readonly string[]])[] = [
  [
    'git add *',
    ['git add', 'git add .', 'git add a b'],
    ['git addx', 'git', 'git  add', 'xgit add', 'Git add'],
  ],
  ['git add:*', ['git add', 'git add .'], ['git addx', 'git add:x']],
  ['npm run test:*', ['npm run test', 'npm run test -- --watch'], ['npm run tester', 'npm run test:unit']],
  ['git diff*', ['git diff', 'git difftool x', 'git diff x'], ['git dif', 'x git diff']],
  ['git  diff', ['git diff'], ['git diff x', 'git diff*']],
  ['* --help', ['git --help', 'a b --help'], ['--help', 'git --helpx', 'git\\ --help']],
  [
    'git * main',
    ['git push main', 'git push -f origin main'],
    ['git main', 'git push\\ main', 'git push main x'],
  ],
  ['ls', ['ls'], ['ls x', 'lsx', '']],
  ['ls ?', ['ls ?'], ['ls x']],
  ['rm *.log', ['rm a.log', 'rm *.log', 'rm -rf / x.log'], ['rm log', 'rm a.logs']],
  [
    'git commit -m "fix: *"',
    ['git commit -m fix:\\ it', 'git commit -m fix:\\ it -a'],
    ['git commit -m fix: it'],
  ],
  ["git commit -m 'WIP*'", ['git commit -m WIP', 'git commit -m WIP\\ x'], ['git commit -m x']],
  ['echo $HOME', ['echo $HOME'], ['echo \\$HOME']],
  ["echo '$HOME'", ['echo \\$HOME'], ['echo $HOME']],
  ['echo "a  b"', ['echo a\\ \\ b'], ['echo a b']],
  ['foo > out', ['foo > out'], ['foo', 'foo out']],
  ['A="b" foo', [], ['foo']],
  ['(foo)', ['(foo)'], ['foo']],
  ['foo; bar', ['foo; bar'], ['foo', 'bar']],
  ['foo # bar', [], ['foo']],
  ['*rm -rf /*', ['rm -rf /', 'sudo rm -rf /home'], ['rm -r /']],
  ['git log (*', ['git log (x'], ['git log']],
];

for (const [rule, meant, others] of rules) {
  test(`${rule} means what it says`, () => {
    for (const command of meant) assert.equal(matchesCommand(rule, command), true, command);
    for (const command of others) assert.equal(matchesCommand(rule, command), false, command);
  });
}
