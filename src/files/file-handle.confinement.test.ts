import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readSync, readdirSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { isAgentError } from '../core/error.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { comparedPath } from './file-handle.ts';
import { makeEdit, planEdit } from './edit-file.ts';
import { findFiles } from './find-files.ts';
import { grepFiles } from './grep-files.ts';
import { openFile } from './open-file.ts';
import { writeFile } from './write-file.ts';
import { sourceUrl } from '../../test/support/source-file.ts';

// Replaces a folder with a link to another folder and back, as fast as possible, even if it is re-created in
// between.
const swapper = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
  const { workerData: { folder, outside, state } } = require('node:worker_threads');
  let made = 0;
  const insist = (act) => {
    for (;;) {
      try {
        return act();
      } catch {
        try {
          renameSync(folder, folder + '-made-' + made++);
        } catch {}
      }
    }
  };
  while (Atomics.load(state, 0) === 0) {
    renameSync(folder, folder + '-aside');
    insist(() => symlinkSync(outside, folder));
    unlinkSync(folder);
    insist(() => renameSync(folder + '-aside', folder));
    Atomics.add(state, 1, 1);
  }
`;

const tries = 500;

/**
 * Repeats an action while the folder "in" of a workspace is sometimes a link to the outside, and once
 * afterwards.
 */
async function whileSwapping(
  files: Tree,
  outside: Tree,
  act: (turn: number) => Promise<void>,
): Promise<void> {
  const state = new Int32Array(new SharedArrayBuffer(8)); // a stop flag, and the number of swaps
  const worker = new Worker(swapper, {
    eval: true,
    workerData: { folder: files.at('in'), outside: outside.path, state },
  });
  let turn = 0;
  const isEnough = (): boolean => turn >= tries && Atomics.load(state, 1) >= tries;
  for (; !isEnough(); turn++) await act(turn);
  Atomics.store(state, 0, 1);
  await once(worker, 'exit');
  await act(turn);
}

describe('a folder that is swapped for a link to outside', () => {
  test('is never read from outside', async () => {
    using outside = tree({ 'a.txt': 'SECRET' });
    using files = tree({ 'in/a.txt': 'inside' });
    const observed = new Set<string>();
    await whileSwapping(files, outside, async () => {
      try {
        using file = openFile({ workspace: files.path }, 'in/a.txt');
        const bytes = Buffer.alloc(10);
        observed.add(bytes.toString('utf8', 0, readSync(file.handle, bytes, 0, 10, 0)));
      } catch (thrown) {
        assert.ok(isAgentError(thrown), String(thrown));
      }
      await new Promise((resolve) => setImmediate(resolve));
    });
    assert.deepEqual([...observed], ['inside']);
  });

  test('is never written outside', async () => {
    using outside = tree({ 'a.txt': 'untouched', 'deep/b.txt': 'untouched' });
    using files = tree({ 'in/a.txt': 'inside', 'in/deep/b.txt': 'inside' });
    let written = 0;
    await whileSwapping(files, outside, async (turn) => {
      const path = ['in/a.txt', 'in/deep/b.txt', `in/deep/new-${turn}/c.txt`][turn % 3] ?? '';
      try {
        await writeFile({ workspace: files.path }, path, Buffer.from(`turn ${turn}`));
        written++;
      } catch (thrown) {
        assert.ok(isAgentError(thrown), String(thrown));
      }
    });
    assert.ok(written > 0);
    assert.deepEqual(readdirSync(outside.path, { recursive: true }).sort(), ['a.txt', 'deep', 'deep/b.txt']);
    assert.equal(readFileSync(outside.at('a.txt'), 'utf8'), 'untouched');
    assert.equal(readFileSync(outside.at('deep/b.txt'), 'utf8'), 'untouched');
  });

  test('is never edited outside, and nothing of it is reported', async () => {
    using outside = tree({ 'a.txt': 'SECRET word', 'deep/b.txt': 'SECRET word' });
    using files = tree({ 'in/a.txt': 'inside word', 'in/deep/b.txt': 'inside word' });
    const change = { before: 'word', after: 'more word', everywhere: false };
    let edited = 0;
    await whileSwapping(files, outside, async (turn) => {
      const path = ['in/a.txt', 'in/deep/b.txt'][turn % 2] ?? '';
      try {
        const plan = planEdit({ workspace: files.path }, path, change);
        assert.match(plan.excerpt, /inside (?:more )+word/);
        await makeEdit({ workspace: files.path }, path, change, plan);
        edited++;
      } catch (thrown) {
        assert.ok(isAgentError(thrown), String(thrown));
      }
    });
    assert.ok(edited > 0);
    assert.deepEqual(readdirSync(outside.path, { recursive: true }).sort(), ['a.txt', 'deep', 'deep/b.txt']);
    for (const path of ['a.txt', 'deep/b.txt'])
      assert.equal(readFileSync(outside.at(path), 'utf8'), 'SECRET word');
  });

  test('is never searched outside', async () => {
    using outside = tree({ 'deep/SECRET.txt': 'SECRET' });
    using files = tree({ 'in/deep/a.txt': 'inside' });
    const observed = new Set<string>();
    await whileSwapping(files, outside, async () => {
      const query = { root: files.path, start: files.path, pattern: '.', mode: 'content' } as const;
      const more = { ignoreCase: false, multiline: false, before: 0, after: 0, results: 9, characters: 999 };
      for (const { text } of grepFiles({ ...query, ...more }).lines) observed.add(text);
      const search = { area: { workspace: files.path }, pattern: '**' };
      for (const path of (await findFiles(search, AbortSignal.any([]))).files) observed.add(path);
      await new Promise((resolve) => setImmediate(resolve));
    });
    assert.deepEqual(
      [...observed].filter((text) => text.includes('SECRET')),
      [],
    );
    assert.ok(observed.has('inside'));
  });
});

test('where no kernel tells the path of a handle, what is found at the path is compared', () => {
  using files = tree({ a: 'a', b: 'b' });
  using file = openFile({ workspace: files.path }, 'a');
  assert.equal(comparedPath(file.handle, files.at('a')), files.at('a'));
  assert.throws(() => comparedPath(file.handle, files.at('b')), /replaced/);
});

test('a process that is killed while it writes leaves the old file or the new one', async () => {
  using files = tree({ target: 'a'.repeat(1 << 20) });
  const program = `
    import { writeFile } from ${JSON.stringify(sourceUrl('src/files/write-file.ts'))};
    process.stdout.write('ready');
    for (let turn = 0; ; turn++) {
      const letter = String.fromCharCode(97 + (turn % 26));
      await writeFile({ workspace: ${JSON.stringify(files.path)} }, 'target', Buffer.from(letter.repeat(1 << 20)));
    }
  `;
  for (let round = 0; round < 4; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, 20 * round)); // any moment is fine
    child.kill('SIGKILL');
    await once(child, 'close');
    const text = readFileSync(files.at('target'), 'utf8');
    assert.equal(text, text.charAt(0).repeat(1 << 20));
    for (const name of readdirSync(files.path)) if (name !== 'target') rmSync(files.at(name));
  }
  assert.ok(existsSync(files.at('target')));
});
