import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { done } from '../../../test/support/kernel.ts';
import { leaf, stage } from '../../../test/support/loop-stage.ts';
import { runInLanes } from './calls.ts';

const page = `'; touch INJECTED; '`;

describe('a result in a command', () => {
  test('is refused, so that no page becomes a part of what a shell reads', async () => {
    const commands: string[] = [];
    await using here = stage(
      [
        { calls: [{ name: 'fetch', input: { input: '' } }] },
        { calls: [{ name: 'shell', input: { input: `wc -c <<< '$$fetch-1'` } }] },
        { calls: [{ name: 'shell', input: { input: '$$fetch-1' } }] },
        { calls: [{ name: 'shell', input: { input: 'echo $$ $$none-1' } }] },
        'Done.',
      ],
      {
        fetch: leaf(() => done(page)),
        shell: leaf(
          (command) => {
            commands.push(command);
            return done();
          },
          { runsProcesses: true },
        ),
      },
      { options: { policy: { decide: () => ({ decision: 'allow' }) } } },
    );
    const { runId, text } = await here.agent.run({ skill: 'think' }).result;
    assert.equal(text, 'Done.');
    assert.deepEqual(commands, ['echo $$ $$none-1']); // the process id, and a name that does not exist
    const reply = here.model.requests[2]?.messages.at(-1)?.text ?? '';
    assert.match(reply, /does not accept result names[^]*Write the result to a file/);
    const notes = (await here.agent.runs.events(runId)).filter(({ type }) => type === 'note.added');
    assert.equal(notes.length, 2);
  });
});

describe('the calls of one step', () => {
  test('are made up to a number; the model reads that the others were not', async () => {
    let callCount = 0;
    const calls = Array.from({ length: 500 }, (_, index) => ({
      name: 'count',
      input: { input: `${index}` },
    }));
    await using here = stage([{ calls }, 'Done.'], { count: leaf(() => done(`${(callCount += 1)}`)) });
    await here.agent.run({ skill: 'think' }).result;
    assert.equal(callCount, 128);
    const results = here.model.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    assert.equal(results.length, 500);
    assert.match(results[499]?.text ?? '', /^Error: .*128 calls.*limit\.calls/);
  });

  test('that throw at once are reported like any other', async () => {
    const tool = {
      name: 'odd',
      description: 'Throws.',
      input: { type: 'object' },
      call: (): never => {
        throw new Error('not even a promise');
      },
    };
    await using here = stage([{ calls: [{ name: 'odd', input: {} }] }, 'Done.'], {}, { tools: [tool] });
    await here.agent.run({ skill: 'think' }).result;
    assert.match(here.model.requests[1]?.messages.at(-1)?.text ?? '', /^Error: not even a promise/);
  });
});

interface Item {
  readonly isAlone: boolean;
  readonly turns: number;
}

/** Yields to other work this many times. */
async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('calls in lanes', () => {
  test('keep their order, their number, and the barrier of one that is sequential', async () => {
    const item = fc.record({ isAlone: fc.boolean(), turns: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 25 }),
        fc.integer({ min: 1, max: 5 }),
        async (items, most) => {
          const open = new Set<number>();
          const ended = new Set<number>();
          let widest = 0;
          const results = await runInLanes<Item, number>(
            items,
            ({ isAlone }) => isAlone,
            most,
            async ({ isAlone, turns }, index) => {
              assert.ok(open.size === 0 || !isAlone, 'a sequential one beside others');
              assert.ok(
                [...open].every((other) => items[other]?.isAlone === false),
                'beside a sequential one',
              );
              items.slice(0, index).forEach((other, position) => {
                if (isAlone || other.isAlone) assert.ok(ended.has(position), `${position} before ${index}`);
              });
              open.add(index);
              widest = Math.max(widest, open.size);
              await pause(turns);
              open.delete(index);
              ended.add(index);
              return index;
            },
          );
          assert.deepEqual(
            results,
            items.map((_, index) => index),
          );
          assert.ok(widest <= most, `${widest} at once`);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('use every lane: one that is slow holds back no one else', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const ended: number[] = [];
    const all = runInLanes(
      [0, 1, 2, 3, 4, 5],
      () => false,
      2,
      async (item) => {
        if (item === 0) await promise;
        ended.push(item);
        return item;
      },
    );
    await pause(20);
    assert.deepEqual(ended, [1, 2, 3, 4, 5]);
    resolve(undefined);
    assert.deepEqual(await all, [0, 1, 2, 3, 4, 5]);
  });

  test('of nothing are nothing', async () => {
    assert.deepEqual(
      await runInLanes(
        [],
        () => true,
        8,
        async () => 1,
      ),
      [],
    );
  });
});
