import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toErrorData, type ErrorData } from '../../core/error.ts';
import { overLimit } from '../../run/calls/budget.ts';
import { withHint } from './diagnostics.ts';

function hintOf(error: ErrorData): string | undefined {
  return withHint(error).hint;
}

test('a failure of a model names the command that tries it', () => {
  const denied = { code: 'model.denied', message: 'The key was refused.', hint: 'Set KEY.' } as const;
  assert.equal(hintOf(denied), 'Set KEY. To try it: `skilled models --check`');
  const lost = { code: 'model.not-found', message: 'A has no model "b".', hint: 'Check the name.' } as const;
  assert.equal(
    hintOf(lost),
    'Check the name. To try one: `skilled models --check --model <provider>/<model>`',
  );
});

test('the offline error says how to find its setting', () => {
  const offline = { code: 'model.unavailable', message: 'Offline.', details: { offline: true } } as const;
  assert.match(hintOf(offline) ?? '', /: `skilled config explain offline`$/);
});

test('a limit that was reached names the setting, and who says how it is raised', () => {
  assert.equal(
    hintOf(toErrorData(overLimit('limit.time', '1 second', 'runSeconds'))),
    'Raise the limit "runSeconds" if you need more. `skilled config explain limits.runSeconds` shows how.',
  );
});

test('a hint that names the next step stays as it is', () => {
  for (const details of [{ configured: false }, { near: ['openai'] }, { key: {} }])
    assert.equal(hintOf({ code: 'model.unavailable', message: 'No.', hint: 'Do it.', details }), 'Do it.');
  const busy = { code: 'model.busy', message: 'Busy.', hint: 'Wait a while.' } as const;
  assert.equal(hintOf(busy), busy.hint);
});
