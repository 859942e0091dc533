import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { describe, test } from 'node:test';
import type { ErrorData } from '../core/error.ts';
import type { Attachment } from '../core/model/attachment.ts';
import type { Output } from '../core/run.ts';
import type { Scope } from '../core/scope.ts';
import { createTestScope } from '../testing/test-scope.ts';
import { picture } from '../../test/conversation/scripts.ts';
import { callBuiltin, doneOf, errorOf, isMeant } from '../../test/support/built-in.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { read } from './read.ts';

function call(
  files: Tree,
  file_path: string,
  more: { offset?: number; limit?: number } = {},
): Promise<Output> {
  return callBuiltin(read, { file_path, ...more }, { workspace: files.path });
}

async function refusal(files: Tree, file_path: string): Promise<ErrorData> {
  return errorOf(await call(files, file_path));
}

describe('read', () => {
  test('gives lines with their numbers and reports what it gave', async () => {
    using files = tree({ 'src/a.ts': 'one\ntwo\n\nfour' });
    const output = doneOf(await call(files, 'src/a.ts'));
    assert.equal(output.text, '     1\tone\n     2\ttwo\n     3\t\n     4\tfour');
    const content = 'one\ntwo\n\nfour';
    assert.deepEqual(output.value, { path: 'src/a.ts', from: 1, to: 4, total: 4, bytes: 13, content });
    assert.deepEqual(doneOf(await call(files, files.at('src/a.ts'))).value, output.value);
  });

  test('gives a part, and says how to read on', async () => {
    using files = tree({ a: 'one\r\ntwo\r\nthree\r\n' });
    const { text, value } = doneOf(await call(files, 'a', { offset: 2, limit: 1 }));
    assert.equal(text, '     2\ttwo\n(These are lines 2 to 2 of 3; continue with offset 3.)');
    assert.deepEqual(value, { path: 'a', from: 2, to: 2, total: 3, bytes: 17, content: 'two' });
    const past = errorOf(await call(files, 'a', { offset: 4 }));
    assert.deepEqual(
      [past.code, past.message],
      ['usage.bad-input', '"a" has 3 lines, so there is no line 4.'],
    );
  });

  test('gives at most 2,000 lines and 256 KB at once', async () => {
    using files = tree({ many: 'x\n'.repeat(5000), wide: `${'y'.repeat(1999)}\n`.repeat(500) });
    const many = doneOf(await call(files, 'many', { limit: 4000 }));
    assert.match(many.text, /\(These are lines 1 to 2000 of 5000; continue with offset 2001\.\)$/);
    const wide = doneOf(await call(files, 'wide'));
    assert.match(wide.text, /lines 1 to 132 of 500; .* offset 133\b/);
  });

  test('cuts long lines and says so', async () => {
    using files = tree({ a: `${'z'.repeat(5000)}\nnext\n`, 'exact.txt': `${'z'.repeat(2000)}\r\n` });
    const lines = doneOf(await call(files, 'a')).text.split('\n');
    assert.equal(lines[0], `     1\t${'z'.repeat(2000)}… [3,000 more characters]`);
    assert.equal(lines[1], '     2\tnext');
    assert.equal(doneOf(await call(files, 'exact.txt')).text, `     1\t${'z'.repeat(2000)}`);
  });

  test('reads the beginning of a file of two gigabytes, and a part of a line of any length', async () => {
    using files = tree({ huge: 'first\nsecond\n', 'line.txt': 'q'.repeat(20_000_000) });
    truncateSync(files.at('huge'), 2 ** 31);
    truncateSync(files.write('text', `${'word '.repeat(2000)}\nb\n`), 2 ** 31);
    const { text, value } = doneOf(await call(files, 'text', { limit: 2 }));
    assert.match(text, /^ {5}2\tb\n\(.*of a file of 2,147,483,648 bytes; continue with offset 3\.\)$/m);
    assert.equal((value as { total?: number }).total, undefined);
    assert.match(
      doneOf(await call(files, 'line.txt')).text,
      /^ {5}1\tq{2000}… \[19,998,000 more characters\]$/,
    );
    assert.match((await refusal(files, 'huge')).message, /"huge" is not a text file/);
  });

  test('reads UTF-8 and UTF-16 with a byte order mark, and text that is damaged', async () => {
    const utf16 = Buffer.from('\ufeffgrün\nzwei', 'utf16le');
    using files = tree({
      'bom.txt': '\ufeffgrün',
      'le.txt': utf16,
      'be.txt': Buffer.from(utf16).swap16(),
      'bad.txt': Buffer.from([0x61, 0xff, 0x62]),
      'split.txt': `${'a'.repeat((1 << 18) - 1)}ü\nend`,
    });
    assert.equal(doneOf(await call(files, 'bom.txt')).text, '     1\tgrün');
    for (const name of ['le.txt', 'be.txt']) {
      assert.equal(doneOf(await call(files, name)).text, '     1\tgrün\n     2\tzwei');
    }
    const bad = doneOf(await call(files, 'bad.txt'));
    assert.match(bad.text, /^ {5}1\ta\ufffdb\n\(Some bytes are not valid UTF-8/);
    assert.equal((doneOf(await call(files, 'split.txt')).value as { damaged?: true }).damaged, undefined);
  });

  test('says that a file is empty', async () => {
    using files = tree({ empty: '', 'only-a-line-end': '\n' });
    assert.equal(doneOf(await call(files, 'empty')).text, '(The file "empty" is empty.)');
    assert.equal(doneOf(await call(files, 'only-a-line-end')).text, '     1\t');
  });

  test('shows a picture to the model, and stores its content only with the session', async () => {
    using files = tree({ 'a.png': picture });
    const attached: Attachment[] = [];
    const scope = createTestScope({ workspace: files.path });
    const attach: Scope['context']['attach'] = ({ name, mediaType, data }) => {
      attached.push({ name, mediaType, data });
      return Promise.resolve({ name, mediaType, digest: 'sha256:1' });
    };
    const context = { ...scope.context, attach };
    const input = { file_path: 'a.png', offset: 1, limit: 10 };
    const output = (await read.run?.(input as never, { ...scope, context })) as Output;
    assert.ok(output.status === 'done');
    assert.deepEqual(output.attachments, [{ name: 'a.png', mediaType: 'image/png', digest: 'sha256:1' }]);
    assert.doesNotMatch(JSON.stringify(output), /iVBOR/);
    assert.equal(attached[0]?.data, Buffer.from(picture).toString('base64'));
  });

  test('refuses what is not text with its kind and size, and does not dump it', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    using files = tree({ 'a.png': png, 'a.bin': Buffer.from([1, 2, 0, 3]), 'a.pdf': '%PDF-1.7\n' });
    const error = await refusal(files, 'a.png');
    assert.equal(error.message, '"a.png" is not a text file: PNG image, 16 bytes.');
    assert.deepEqual(error.details, { path: 'a.png', kind: 'PNG image', bytes: 16 });
    assert.match((await refusal(files, 'a.bin')).message, /binary file, 4 bytes/);
    assert.match((await refusal(files, 'a.pdf')).message, /PDF document/);
  });

  test('names what is like a file that is missing', async () => {
    using files = tree({ 'src/index.ts': '', 'README.md': '' });
    const missing = await refusal(files, 'src/indx.ts');
    assert.deepEqual(missing, {
      code: 'usage.not-found',
      message: 'There is no "src/indx.ts".',
      hint: 'Did you mean "index.ts"?',
    });
    assert.equal((await refusal(files, 'scr/index.ts')).hint, 'Did you mean "src"?');
    assert.equal((await refusal(files, 'README.md/x')).code, 'usage.bad-input');
  });

  test('does not compare a missing name with all of a large folder', async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => hash('sha1', String(index)));
    using files = tree(Object.fromEntries(names.map((name) => [name, ''])));
    const listed = readdirSync(files.path); // in the order of comparison
    assert.equal((await refusal(files, `${listed[0]}x`)).hint, `Did you mean "${listed[0]}"?`);
    assert.equal((await refusal(files, `${listed.at(-1)}x`)).hint, 'Use glob to find the correct path.');
  });

  test('stays in the workspace', async () => {
    using outside = tree({ secret: 'SECRET' });
    using files = tree({ 'a/b': 'inside', '~/x': 'a folder named ~' });
    symlinkSync(outside.at('secret'), files.at('file-out'));
    symlinkSync(outside.path, files.at('folder-out'));
    symlinkSync(outside.at('nothing'), files.at('nowhere-out'));
    symlinkSync('a', files.at('folder-in'));
    symlinkSync('loop', files.at('loop'));
    const escapes = ['../x', outside.at('secret'), 'a/../../x', '/etc/passwd', `${files.path}-sibling/x`];
    for (const path of [...escapes, 'file-out', 'folder-out/secret', 'folder-out/missing']) {
      const error = await refusal(files, path);
      assert.equal(error.code, 'policy.denied', path);
      assert.match(error.message, /outside the workspace/);
    }
    assert.equal((await refusal(files, 'nowhere-out')).code, 'usage.not-found');
    assert.equal((await refusal(files, 'loop')).message, '"loop" is a broken link.');
    assert.equal((await refusal(files, 'a\0b')).code, 'usage.bad-input');
    assert.match(doneOf(await call(files, '~/x')).text, /a folder named ~/);
    assert.equal((await refusal(files, `~/${homedir()}`)).code, 'usage.not-found');
    assert.match(doneOf(await call(files, 'folder-in/b')).text, /inside/);
    assert.match(doneOf(await call(files, 'a/x/../b')).text, /inside/);
  });

  test('refuses folders and what is not a regular file, without waiting for it', async () => {
    using files = tree({ 'a/b': '' });
    execFileSync('mkfifo', [files.at('fifo')]);
    const server = createServer().listen(files.at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    assert.match((await refusal(files, 'a')).message, /is a folder/);
    assert.match((await refusal(files, '.')).message, /"\." is a folder/);
    assert.match((await refusal(files, 'fifo')).message, /not a regular file/);
    assert.match((await refusal(files, 'socket')).message, /not a regular file/);
    server.close();
  });

  test('opens the places of skills that may be read, and nothing of others', async () => {
    using outside = tree({ secret: 'SECRET' });
    using bundles = tree({ 'one/SKILL.md': 'one', 'one/references/a.md': 'listed', 'two/SKILL.md': 'two' });
    symlinkSync(outside.path, bundles.at('one/assets'));
    using files = tree({ 'a.txt': 'a' });
    const from = (file_path: string, workspace: string | undefined = files.path): Promise<Output> =>
      callBuiltin(
        read,
        { file_path },
        { readable: [bundles.at('one')], ...(workspace === '' ? {} : { workspace }) },
      );
    const { text, value } = doneOf(await from(bundles.at('one/references/a.md')));
    assert.match(text, /listed/);
    assert.equal((value as { path: string }).path, bundles.at('one/references/a.md'));
    assert.match(doneOf(await from(bundles.at('one/references/a.md'), '')).text, /listed/);
    assert.match(doneOf(await from('a.txt')).text, /a/);
    for (const path of ['two/SKILL.md', 'one/assets/secret', 'one/../two/SKILL.md']) {
      assert.equal(errorOf(await from(bundles.at(path))).code, 'policy.denied', path);
    }
  });

  test('needs a workspace for relative paths', async () => {
    const error = errorOf(await callBuiltin(read, { file_path: 'a' }, {}));
    assert.equal(error.code, 'usage.bad-input');
    assert.match(error.message, /^This run has no workspace/);
    const gone = errorOf(await callBuiltin(read, { file_path: 'a' }, { workspace: '/nowhere/at/all' }));
    assert.equal(gone.message, 'The folder "/nowhere/at/all" does not exist.');
  });

  test('works in a workspace that is given by a link', async () => {
    using files = tree({ 'real/a': 'text' });
    symlinkSync('real', files.at('link'));
    mkdirSync(files.at('other'));
    assert.match(
      doneOf(await callBuiltin(read, { file_path: 'a' }, { workspace: files.at('link') })).text,
      /text/,
    );
    const aside = await callBuiltin(read, { file_path: files.at('real/a') }, { workspace: files.at('link') });
    assert.equal(errorOf(aside).code, 'policy.denied'); // only paths below the workspace as given are inside
  });

  test('is meant by rules with patterns', () => {
    assert.ok(isMeant(read, 'src/**', { file_path: 'src/a/b.ts' }));
    assert.ok(isMeant(read, 'src/**', { file_path: '/work/src/a.ts' }));
    assert.ok(isMeant(read, '*.env', { file_path: 'deep/down/x.env' }));
    assert.ok(!isMeant(read, 'src/**', { file_path: 'src/../secrets/a' }));
    assert.ok(!isMeant(read, 'src/**', { wrong: true }));
  });

  test('stops when its call is over', async () => {
    using files = tree({ a: 'text' });
    const output = await callBuiltin(
      read,
      { file_path: 'a' },
      { workspace: files.path, signal: AbortSignal.abort() },
    );
    assert.equal(output.status, 'failed');
  });
});
