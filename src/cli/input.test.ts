import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { isAgentError } from '../core/error.ts';
import { tree } from '../../test/support/tree.ts';
import { readInput } from './input.ts';

const stdin = (...chunks: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('words of a command line', () => {
  const cwd = '/';

  test('are one text', async () => {
    assert.equal(await readInput(['convert', 'csv'], { cwd }), 'convert csv');
    assert.equal(await readInput([], { cwd }), '');
    assert.equal(await readInput(['  '], { cwd }), '');
  });

  test('- is what stdin gives, whole letters included', async () => {
    const bytes = Buffer.from('Grüße\n');
    const sources = { cwd, stdin: stdin(bytes.subarray(0, 3), bytes.subarray(3)) };
    assert.equal(await readInput(['-'], sources), 'Grüße');
  });

  test('@ is what a file holds, from the working folder', async () => {
    using files = tree({ 'ask.txt': '\ufeffwhat is\nin the file\n' });
    assert.equal(await readInput(['@ask.txt'], { cwd: files.path }), 'what is\nin the file');
    assert.equal(await readInput([`@${files.at('ask.txt')}`], { cwd: '/' }), 'what is\nin the file');
  });

  test('among other words both are plain text', async () => {
    assert.equal(await readInput(['install', '@babel/core', '-'], { cwd }), 'install @babel/core -');
  });

  for (const plain of ['@', ' @ask.txt', 'ann@ask.txt', ' -', '--', '-x'])
    test(`"${plain}" is plain text`, async () => {
      assert.equal(await readInput([plain], { cwd }), plain.trim());
    });

  test('a file that cannot be read is a usage error', async () => {
    using files = tree({ 'folder/file': '' });
    for (const word of ['@missing', '@folder', `@${'a'.repeat(300)}`])
      await assert.rejects(readInput([word], { cwd: files.path }), (thrown) => {
        assert.ok(isAgentError(thrown));
        assert.equal(thrown.code, 'usage.not-found');
        assert.match(thrown.hint ?? '', /plain text/);
        return true;
      });
  });

  test('an input without an end is refused', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield await Promise.resolve(new Uint8Array(100_000));
    }
    await assert.rejects(readInput(['-'], { cwd, stdin: endless() }), { code: 'limit.too-large' });
  });
});
