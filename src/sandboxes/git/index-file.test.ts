import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { git, repository } from '../../../test/support/git.ts';
import { tree } from '../../../test/support/tree.ts';
import { checkIndex } from './index-file.ts';

/** Replaces text in an index with other text of the same length, and updates the hash. */
function changed(index: Buffer, from: string, to: string): Buffer {
  const text = index.subarray(0, -20).toString('latin1');
  assert.ok(text.includes(from));
  return sealed(Buffer.from(text.replace(from, to), 'latin1'));
}

function sealed(body: Buffer): Buffer {
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

describe('an index', () => {
  for (const version of ['2', '3', '4']) {
    test(`of version ${version} that git wrote is kept`, () => {
      using files = repository();
      for (const name of ['b/c/d', 'b/c/e', 'b/c.txt', '.gitignore', 'ä/\\x', `${'long/'.repeat(900)}x`])
        git(files.path, 'update-index', '--add', '--cacheinfo', `100644,${'1'.repeat(40)},${name}`);
      symlinkSync('a', files.at('link'));
      git(files.path, 'add', '-N', 'link');
      git(files.path, 'update-index', '--index-version', version);
      const index = readFileSync(files.at('.git/index'));
      assert.equal(checkIndex(index, 'sha1'), index);
    });
  }

  test('of a repository with SHA-256 is kept', () => {
    using files = tree({ a: 'a' });
    git(files.path, 'init', '-q', '--object-format=sha256');
    git(files.path, 'add', 'a');
    const index = readFileSync(files.at('.git/index'));
    assert.equal(checkIndex(index, 'sha256'), index);
    assert.equal(typeof checkIndex(index, 'sha1'), 'string');
  });

  test('that is split is kept with its base', () => {
    using files = repository();
    git(files.path, 'update-index', '--split-index');
    files.write('a', 'other');
    git(files.path, 'add', 'a');
    const index = readFileSync(files.at('.git/index'));
    assert.equal(checkIndex(index, 'sha1'), index);
  });

  test('loses extensions by which git would read other entries, and git reads it as before', () => {
    using files = repository();
    git(
      files.path,
      '-c',
      'index.threads=2',
      '-c',
      'index.recordEndOfIndexEntries=true',
      'update-index',
      '--force-write-index',
    );
    const index = readFileSync(files.at('.git/index'));
    assert.ok(index.includes('EOIE'));
    const checked = checkIndex(index, 'sha1');
    assert.ok(Buffer.isBuffer(checked) && !checked.includes('EOIE') && checked.includes('TREE'));
    files.write('.git/index', checked);
    assert.equal(git(files.path, 'status', '--short'), '');
    git(files.path, 'fsck', '--strict');
  });

  test('with a path that leads elsewhere, or with damage, is refused', () => {
    using files = repository();
    const id = '1'.repeat(40);
    for (const name of ['xgit/hooks/x', 'yy/z', 'w.git/x'])
      git(files.path, 'update-index', '--add', '--cacheinfo', `100644,${id},${name}`);
    const index = readFileSync(files.at('.git/index'));
    const faulty: readonly (readonly [Buffer, RegExp])[] = [
      [changed(index, 'xgit', '.git'), /git folder/],
      [changed(index, 'xgit', '.GiT'), /git folder/],
      [changed(index, 'yy/z', '../z'), /another folder/],
      [changed(index, 'yy/z', 'y//z'), /another folder/],
      [changed(index, 'yy/z', '/y/z'), /another folder/],
      [changed(index, 'yy/z', 'y\0/z'), /length/],
      [changed(index, 'DIRC', 'DIRX'), /not a git index/],
      [sealed(index.subarray(0, 100)), /truncated|corrupt/],
      [Buffer.alloc(0), /not a git index/],
    ];
    for (const [bytes, fault] of faulty) assert.match(String(checkIndex(bytes, 'sha1')), fault);
    git(files.path, 'update-index', '--add', '--cacheinfo', `120000,${id},vv`);
    const linked = changed(readFileSync(files.at('.git/index')), 'yy/z', 'vv/z');
    assert.match(String(checkIndex(linked, 'sha1')), /link/);
  });
});
