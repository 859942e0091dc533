import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeStage } from '../../test/support/code-stage.ts';
import { textOf, until } from '../../test/support/kernel.ts';
import type { HostFunction } from '../core/code.ts';
import { createPlainSandboxes } from './plain.ts';

const asks = 'export async function action(input, scope) { return scope.ask(input); }';

test('no more calls have a process than the machine can bear, and those that they wait for come in', async () => {
  await using stage = codeStage(createPlainSandboxes(), asks, {}, 2);
  const begun: string[] = [];
  const go = Promise.withResolvers<undefined>();
  const ask: HostFunction = async ([name]) => {
    begun.push(textOf(name));
    if (name === 'inner') return 'answered';
    await go.promise;
    return stage.value('inner', { functions: { ask } });
  };
  const calls = ['a', 'b', 'c', 'd'].map((name) => stage.value(name, { functions: { ask } }));
  await until(() => begun.length === 2);
  assert.deepEqual(begun.toSorted(), ['a', 'b']);
  go.resolve(undefined);
  assert.deepEqual(await Promise.all(calls), Array(4).fill('answered'));
  assert.equal(begun.filter((name) => name === 'inner').length, 4);
});
