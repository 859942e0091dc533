import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFailureDetails } from './stdio-transport.ts';

test('the reason of a program that broke is not cut off by where it was', () => {
  const frames = Array.from(
    { length: 30 },
    (_, index) => `    at work (/${'deep/'.repeat(20)}file.js:${index}:1)`,
  );
  const stderr = ['/x/server.js:3', "Error: Cannot find module 'left'", ...frames, '', 'Node.js v24.0.0', ''];
  const details = readFailureDetails({ exitCode: 1, stdout: '', stderr: stderr.join('\n') }, undefined);
  assert.equal(details.stderr, "/x/server.js:3\nError: Cannot find module 'left'\n\nNode.js v24.0.0");
  assert.equal(details.reason, "Cannot find module 'left'");
});

test('what looks like a secret is not among the last words', () => {
  const stderr = 'starting with token=sk-proj-abcdefghijklmnopqrstuvwxyz123456';
  const details = readFailureDetails({ exitCode: 1, stdout: '', stderr }, undefined);
  for (const said of [details.stderr, details.reason])
    assert.match(said ?? '', /^starting with .*\[redacted\]$/);
});

test('a running process without output leaves no message', () => {
  assert.deepEqual(readFailureDetails(undefined, undefined), {});
});
