import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from './issue.ts';
import { scriptIn } from './script.ts';

test('a script is the text, or the first fence in it, with the line it begins on', () => {
  const issues: Issue[] = [];
  assert.deepEqual(scriptIn({ text: '@a run\n@b stop', line: 5 }, issues), {
    text: '@a run\n@b stop',
    line: 5,
  });
  assert.deepEqual(scriptIn({ text: 'plain text', line: 5 }, issues), { text: 'plain text', line: 5 });
  assert.deepEqual(scriptIn({ text: 'Intro\n\n```\n@a run\n\n```\n', line: 5 }, issues), {
    text: '@a run',
    line: 8,
  });
  const commented = '# First.\n\n@a write --begin-T--\n```\n@b run\n```\n--end-T--';
  assert.equal(scriptIn({ text: commented, line: 5 }, issues)?.text, commented);
  assert.equal(scriptIn(undefined, issues), undefined);
  assert.deepEqual(issues, []);
});

test('an empty script counts as absent, with a finding', () => {
  for (const text of ['', '  ', '```\n```']) {
    const issues: Issue[] = [];
    assert.equal(scriptIn({ text, line: 3 }, issues), undefined);
    assert.deepEqual(
      issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`),
      ['script.empty:3'],
    );
  }
});
