import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../../test/support/compile-cache.ts';

/**
 * Returns the failed checks of each suite in a file, which runs as a process, because the test runner cannot be
 * nested.
 */
function failuresIn(file: string): ReadonlyMap<string, readonly string[]> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { stdout } = spawnSync(process.execPath, ['--test-reporter=tap', path], {
    env: compileCache(),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const failures = new Map<string, string[]>();
  let suite: string[] = [];
  for (const line of stdout.split('\n')) {
    const started = /^# Subtest: the (.*) family keeps the contract$/.exec(line)?.[1];
    if (started !== undefined) failures.set(started, (suite = []));
    const failed = /^ {4}not ok \d+ - (.*)$/.exec(line)?.[1];
    if (failed !== undefined) suite.push(failed);
  }
  return failures;
}

test('the family contract passes a sound family and fails each broken promise', () => {
  const failures = failuresIn('fixtures/broken-family.ts');
  assert.deepEqual(failures.get('sound'), []);
  const reads = 'reads the valid descriptor "good"';
  const runs = 'runs "good" to an output that survives JSON, whatever the input';
  for (const [family, failure] of [
    ['throwing', 'survives only NUL bytes'],
    ['impure', reads],
    ['mutating', reads],
    ['lossy card', reads],
    ['silent refusal', reads],
    ['line past the end', reads],
    ['message without a stop', reads],
    ['unclean template', 'makes a clean new skill called "demo"'],
    ['rejecting run', runs],
    ['odd output', runs],
    ['accept that crashes', 'accepts an input or rejects it with usage.bad-input: "good"'],
    ['changing permission', 'describes the same permission each time: "good"'],
    ['running render', 'renders text without running anything: "good"'],
    ['rejecting load', 'loads text as data: "good"'],
    ['inspect that throws', 'inspects a missing folder without throwing: "good"'],
    ['early without preparation', 'reports whether it is prepared early: "good"'],
    ['rejecting build', 'builds to an output that survives JSON: "good"'],
    ['broken assistant', 'makes an assistant that runs: "good"'],
    ['odd answers', 'reads any text from a person: "good"'],
  ] as const) {
    assert.ok(
      failures.get(family)?.includes(failure),
      `${family}: ${failures.get(family)?.join('; ') ?? 'not run'}`,
    );
  }
});
