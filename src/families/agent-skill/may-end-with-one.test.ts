import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayEndWithOne } from './may-end-with-one.ts';

for (const script of [
  'grep x file',
  '/usr/bin/grep -q x file',
  'rg x',
  'diff a b',
  'cmp a b',
  'test -f x',
  '[ -f x ]',
  '[[ -f x ]]',
  'which nothing',
  'pgrep nobody',
  'cat file | grep x',
  'cd src; grep x file',
  'cd src\ngrep x file\n',
  'false || grep x file',
  'test -f x && grep y x',
  '(cd src; grep x file)',
  '{ grep x file; }',
  '! grep x file',
  'LC_ALL=C grep x file',
  'grep x file 2>/dev/null',
]) {
  test(`exit code 1 of "${script}" is an answer`, () => {
    assert.equal(mayEndWithOne(script), true);
  });
}

for (const script of [
  'false',
  '',
  'grep x file | wc -l',
  'grep x file; false',
  'grep x file && false',
  'cd nowhere && grep x file',
  'grep x file || false',
  'git grep x',
  'mygrep x',
  '$GREP x',
  'if grep x file; then false; fi',
  'grep x file &',
  "grep 'x",
  'echo $(grep x file)',
]) {
  test(`exit code 1 of "${script}" is a failure`, () => {
    assert.equal(mayEndWithOne(script), false);
  });
}
