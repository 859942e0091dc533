import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openLoops } from '../../test/stress/stress.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { isAgentError } from '../core/error.ts';
import { createSandboxFiles } from './open-sandbox.ts';

const { createLoop } = openLoops(import.meta);
const tries = 500; // in each round

// Switches a link between two folders as fast as possible.
const swapper = `
  const { renameSync, symlinkSync } = require('node:fs');
  const { workerData: { link, targets, state } } = require('node:worker_threads');
  for (let turn = 0; Atomics.load(state, 0) === 0; turn++) {
    symlinkSync(targets[turn % 2], link + '-new');
    renameSync(link + '-new', link);
    Atomics.add(state, 1, 1);
  }
`;

/** Repeats an action while the link "in" alternates between inside and outside. Resolves to the number of successes. */
async function whileSwapping(
  files: Tree,
  outside: Tree,
  act: (turn: number) => Promise<void>,
): Promise<number> {
  symlinkSync(files.at('real'), files.at('in'));
  const state = new Int32Array(new SharedArrayBuffer(8)); // a stop flag, and the number of swaps
  const targets = [outside.path, files.at('real')];
  const worker = new Worker(swapper, { eval: true, workerData: { link: files.at('in'), targets, state } });
  let done = 0;
  for (let turn = 0; turn < tries || Atomics.load(state, 1) < tries; turn++) {
    try {
      await act(turn);
      done++;
    } catch (thrown) {
      assert.ok(isAgentError(thrown), String(thrown));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  Atomics.store(state, 0, 1);
  await once(worker, 'exit');
  return done;
}

const reads = createLoop({ small: 1, full: 10 });
test('a link that is swapped between the check and the opening never shows what is outside', async () => {
  await reads.rounds(async () => {
    using outside = tree({ 'a.txt': 'SECRET' });
    using files = tree({ 'real/a.txt': 'inside' });
    const { read } = createSandboxFiles({ read: [], write: [files.path] });
    const observed = new Set<string>();
    const done = await whileSwapping(files, outside, async () => {
      observed.add(Buffer.from(await read('in/a.txt')).toString());
    });
    assert.ok(done > 0);
    assert.deepEqual([...observed], ['inside']);
  });
});

const writes = createLoop({ small: 1, full: 10 });
test('a link that is swapped between the check and the opening never leads a write outside', async () => {
  await writes.rounds(async () => {
    using outside = tree({ 'a.txt': 'untouched' });
    using files = tree({ 'real/a.txt': 'inside' });
    const { write } = createSandboxFiles({ read: [], write: [files.path] });
    const done = await whileSwapping(files, outside, (turn) =>
      write(turn % 2 === 0 ? 'in/a.txt' : `in/new-${turn % 50}/b.txt`, Buffer.from(`turn ${turn}`)),
    );
    assert.ok(done > 0);
    assert.deepEqual(readdirSync(outside.path), ['a.txt']);
    assert.equal(readFileSync(outside.at('a.txt'), 'utf8'), 'untouched');
  });
});
