import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { codeContract } from '../../../test/support/code-contract.ts';
import { codeStage } from '../../../test/support/code-stage.ts';
import { textOf, until } from '../../../test/support/kernel.ts';
import type { HostFunction } from '../../core/code.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';
import { createPlainSandboxes } from '../plain-provider.ts';
import type { CodeProcess } from './channel.ts';
import { createCodePool } from './runner.ts';

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

interface Known extends CodeProcess {
  isEnded: boolean;
}

function processes(count: number): readonly Known[] {
  return Array.from({ length: count }, () => {
    const known: Known = {
      isEnded: false,
      isFit: () => !known.isEnded,
      send: () => undefined,
      listen: () => () => undefined,
      endAfter: () => undefined,
      end: async () => void (known.isEnded = true),
      gone: Promise.resolve(undefined),
    };
    return known;
  });
}

test('a process is given to a call with its key, the one that was needed last first', () => {
  const pool = createCodePool();
  const [one, two, other] = processes(3) as [Known, Known, Known];
  pool.giveBack('a', one);
  pool.giveBack('a', two);
  pool.giveBack('b', other);
  assert.equal(pool.take('c'), undefined);
  assert.equal(pool.take('a'), two);
  assert.equal(pool.take('a'), one);
  assert.equal(pool.take('a'), undefined);
  pool.close();
});

test('a process that is gone is not reused', async () => {
  const pool = createCodePool();
  const [one, two] = processes(2) as [Known, Known];
  pool.giveBack('a', one);
  await one.end();
  await two.end();
  pool.giveBack('a', two);
  assert.equal(pool.take('a'), undefined);
  pool.close();
});

test('eight are kept, those that were needed last', () => {
  const pool = createCodePool();
  const all = processes(10);
  for (const [index, code] of all.entries()) pool.giveBack(`key ${index}`, code);
  assert.deepEqual(
    all.map(({ isEnded }) => isEnded),
    all.map((_, index) => index < 2),
  );
  pool.close();
});

test('one that no one needs for a minute is ended', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pool = createCodePool();
  const [early, late] = processes(2) as [Known, Known];
  pool.giveBack('a', early);
  for (let quarter = 0; quarter < 2; quarter += 1) t.mock.timers.tick(15_000);
  pool.giveBack('b', late);
  assert.equal(early.isEnded, false);
  for (let quarter = 0; quarter < 2; quarter += 1) t.mock.timers.tick(15_000);
  assert.deepEqual([early.isEnded, late.isEnded], [true, false]);
  for (let quarter = 0; quarter < 2; quarter += 1) t.mock.timers.tick(15_000);
  assert.equal(late.isEnded, true);
  pool.close();
});

if (withoutBubblewrap === false) codeContract('contained', createProcessSandboxes());
