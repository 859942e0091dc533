import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { splitFlags } from './flags.ts';

const options = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  session: { type: 'string' },
} as const;

describe('flags that the command does not know', () => {
  const cases: readonly (readonly [args: string, known: string, given: readonly object[]])[] = [
    ['/x a b', '/x a b', []],
    ['/x --key value b', '/x b', [{ name: 'key', value: 'value' }]],
    ['/x --key=value b', '/x b', [{ name: 'key', value: 'value' }]],
    ['/x --key=a=b', '/x', [{ name: 'key', value: 'a=b' }]],
    ['/x --key= b', '/x b', [{ name: 'key', value: '' }]],
    ['/x --flag', '/x', [{ name: 'flag', value: true }]],
    ['/x --flag --json', '/x --json', [{ name: 'flag', value: true }]],
    ['/x --flag -q', '/x -q', [{ name: 'flag', value: true }]],
    [
      '/x --n -5 --m -.5',
      '/x',
      [
        { name: 'n', value: '-5' },
        { name: 'm', value: '-.5' },
      ],
    ],
    ['/x --text - b', '/x b', [{ name: 'text', value: '-' }]],
    ['/x --session s --key k', '/x --session s', [{ name: 'key', value: 'k' }]],
    ['/x --session --key k', '/x --session --key k', []],
    ['/x --session=s --no-json', '/x --session=s --no-json', []],
    ['/x --no-deep', '/x', [{ name: 'no-deep', value: true }]],
    ['/x --no-session s', '/x', [{ name: 'no-session', value: 's' }]],
    ['/x -z', '/x -z', []],
    ['/x --a 1 -- --b 2', '/x -- --b 2', [{ name: 'a', value: '1' }]],
    ['/x --a --', '/x --', [{ name: 'a', value: true }]],
  ];
  for (const [args, known, given] of cases) {
    test(args, () =>
      assert.deepEqual(splitFlags(args.split(' '), options), { known: known.split(' '), given }),
    );
  }
});
