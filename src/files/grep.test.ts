import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../test/support/tree.ts';
import { grepInThread, type GrepQuery } from './grep.ts';

const endless = '^(a+)+$';

function query({ path }: Tree, pattern: string): GrepQuery {
  const limits = { before: 0, after: 0, results: 10, characters: 1000 };
  return { pattern, root: path, start: path, mode: 'count', ignoreCase: false, multiline: false, ...limits };
}

describe('a search in a thread', () => {
  test('gives what it found', async () => {
    using files = tree({ a: 'x\nx' });
    const { files: found } = await grepInThread(query(files, 'x'), 60_000, new AbortController().signal);
    assert.deepEqual(found, [{ path: 'a', count: 2 }]);
  });

  test('that would never end is ended after its time, and no one else waits for it', async () => {
    using files = tree({ a: `${'a'.repeat(50)}b` });
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    const search = grepInThread(query(files, endless), 600, new AbortController().signal);
    await assert.rejects(search, { code: 'limit.time', message: 'The search took longer than 0.6 seconds.' });
    clearInterval(ticking);
    assert.ok(ticks > 0);
  });

  test('keeps within its memory when a match has millions of lines, and leaves out files that have more', async () => {
    using files = tree({ a: '\n'.repeat(20_000_000), few: '\n'.repeat(3_000_000) });
    const all: GrepQuery = { ...query(files, '[^]*'), mode: 'content', multiline: true };
    const { lines, large } = await grepInThread(all, 60_000, new AbortController().signal);
    assert.equal(large, 1);
    assert.deepEqual(lines[0], { path: 'few', line: 1, text: '', isMatch: true });
  });

  test('is ended when no one waits for it any more', async () => {
    using files = tree({ a: `${'a'.repeat(50)}b` });
    const controller = new AbortController();
    const search = grepInThread(query(files, endless), 600_000, controller.signal);
    controller.abort(new Error('enough'));
    await assert.rejects(search, { message: 'enough' });
    await assert.rejects(async () => grepInThread(query(files, 'x'), 1000, controller.signal), {
      message: 'enough',
    });
  });
});
