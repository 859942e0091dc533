import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { objectionIn } from './objection.ts';

const ended = (exitCode: number | null, stdout = '', stderr = '') => ({ exitCode, stdout, stderr });
const saying = (value: unknown) => ended(0, `${JSON.stringify(value)}\n`);

describe('a hook', () => {
  test('that succeeds and says nothing, or words, has nothing against it', () => {
    for (const end of [
      ended(0),
      ended(0, 'Fine.'),
      ended(0, '', 'warning'),
      ended(0, '{not json'),
      saying({}),
    ]) {
      assert.deepEqual(objectionIn('before', end), {});
    }
  });

  test('objects with exit code 2, and says why on stderr', () => {
    assert.deepEqual(objectionIn('before', ended(2, 'no', ' Not on Fridays.\n')), {
      objection: 'Not on Fridays.',
    });
    assert.match(objectionIn('stop', ended(2)).objection ?? '', /objects/);
  });

  test('that fails otherwise is only noted', () => {
    assert.deepEqual(objectionIn('before', ended(1, '', 'oops')), { note: 'ended with exit code 1: oops' });
    assert.match(objectionIn('after', ended(null)).note ?? '', /ended by a signal/);
  });

  for (const [what, said, objection] of [
    ['a block', { decision: 'block', reason: 'Too big.' }, 'Too big.'],
    ['a denial', specific({ permissionDecision: 'deny', permissionDecisionReason: 'No.' }), 'No.'],
    [
      'a wish to have a person asked',
      specific({ permissionDecision: 'ask', permissionDecisionReason: 'Sure?' }),
      'Sure?',
    ],
    ['an end', { continue: false, stopReason: 'Enough.' }, 'Enough.'],
  ] as const) {
    test(`objects with ${what} in JSON`, () => {
      assert.deepEqual(objectionIn('before', saying(said)), { objection });
    });
  }

  test('cannot allow anything', () => {
    assert.deepEqual(objectionIn('before', saying(specific({ permissionDecision: 'allow' }))), {});
  });

  test('can add to a result, and to nothing else', () => {
    const said = saying(specific({ additionalContext: 'It was formatted.' }));
    assert.deepEqual(objectionIn('after', said), { objection: 'It was formatted.' });
    assert.deepEqual(objectionIn('before', said), {});
  });
});

function specific(hookSpecificOutput: unknown): unknown {
  return { hookSpecificOutput };
}
