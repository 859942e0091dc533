import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorData } from '../core/error.ts';
import type { CheckResult, Examined } from './check.ts';
import { checkCodeWorker, checkSnippets } from './execution.ts';

const codeWorker = (code: Examined['code']): CheckResult => checkCodeWorker({ code } as Examined);
const snippets = (fault?: ErrorData): CheckResult =>
  checkSnippets({ snippets: fault === undefined ? {} : { fault } } as Examined);

const fault: ErrorData = {
  code: 'sandbox.unavailable',
  message: "The code worker failed to start: Cannot find module '/x/chunk.js'",
  hint: 'Install skilled again.',
};

test('code that ran is well, and it is said whether a sandbox was around it', () => {
  const [inside, outside] = [codeWorker({ isSandboxed: true }), codeWorker({ isSandboxed: false })];
  assert.deepEqual([inside.status, outside.status], ['ok', 'ok']);
  assert.match(inside.summary, / in a sandbox/);
  assert.match(outside.summary, / without a sandbox/);
});

test('code that did not run fails with the reason and the next step', () => {
  const { id, status, details, hint } = codeWorker({ fault });
  assert.deepEqual([id, status, details, hint], ['code-worker', 'fail', [fault.message], fault.hint]);
});

test('a snippet that ran is well', () => {
  assert.deepEqual([snippets().id, snippets().status], ['snippets', 'ok']);
});

test('a package for snippets that is missing or does not load is a warning that says what does not work', () => {
  const missing = { ...fault, message: 'isolated-vm is not installed.', details: { package: 'isolated-vm' } };
  const { status, summary, details, hint } = snippets(missing);
  assert.deepEqual([status, details[0], hint], ['warn', missing.message, missing.hint]);
  assert.match(summary, /code that a model writes.* does not run/);
});

test('a snippet that does not run for another reason fails', () => {
  const { status, details, hint } = snippets(fault);
  assert.deepEqual([status, details, hint], ['fail', [fault.message], fault.hint]);
});
