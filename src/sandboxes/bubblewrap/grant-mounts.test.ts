import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { tree } from '../../../test/support/tree.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';

async function run(folder: string, readOnly: readonly string[], script: string): Promise<string> {
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const paths = readOnly.map((name) => `${folder}/${name}`);
  const sandbox = await createProcessSandboxes().open({
    read: [],
    write: [folder],
    readOnly: paths,
    hosts: [],
    environment,
  });
  const command = { program: 'sh', arguments: ['-c', script], folder };
  const { stdout, stderr } = await sandbox.run(command, new AbortController().signal);
  await sandbox.close();
  return `${stdout}${stderr}`;
}

describe('what a sandbox keeps as it is', { skip: withoutBubblewrap }, () => {
  const tricks = [
    'echo new > a/b/file',
    'rm -rf a/b',
    'rm -rf a',
    'mv a moved && mkdir -p a/b && echo new > a/b/file',
    'mv a/b a/moved; mkdir a/b; echo new > a/b/file',
    'ln -sf /dev/null a/b/file',
    'touch new; mv new a/b/file',
    'chmod 777 a/b/file; echo new > a/b/file',
    'umount a/b; mount -o remount,rw a/b; echo new > a/b/file',
  ];
  for (const trick of tricks) {
    test(`a folder: ${trick}`, async () => {
      using files = tree({ 'a/b/file': 'old', 'a/other': 'x' });
      await run(files.path, ['a/b'], `${trick}; echo new > a/other`);
      assert.equal(readFileSync(files.at('a/b/file'), 'utf8'), 'old');
      const isThere = existsSync(files.at('a/other'));
      if (isThere)
        assert.equal(
          readFileSync(files.at('a/other'), 'utf8'),
          'new\n',
          'what lies beside it can be changed',
        );
    });

    test(`a file: ${trick}`, async () => {
      using files = tree({ 'a/b/file': 'old' });
      await run(files.path, ['a/b/file'], trick);
      assert.equal(readFileSync(files.at('a/b/file'), 'utf8'), 'old');
    });
  }

  for (const readOnly of [
    ['a', 'a/b/c/d'],
    ['a/b/c/d', 'a'],
  ]) {
    test(`a folder, also on the way to another that is kept in it: ${readOnly.join(', ')}`, async () => {
      using files = tree({ 'a/b/c/d/file': 'old', 'a/b/file': 'old' });
      await run(files.path, readOnly, 'echo new > a/b/file; echo new > a/b/new; mkdir a/b/c/new; rm -rf a/b');
      assert.equal(readFileSync(files.at('a/b/file'), 'utf8'), 'old');
      assert.deepEqual([existsSync(files.at('a/b/new')), existsSync(files.at('a/b/c/new'))], [false, false]);
    });
  }

  test('can be read, and does not keep others from being made', async () => {
    using files = tree({ 'a/file': 'old' });
    assert.equal(
      await run(
        files.path,
        ['a', 'missing/x'],
        'cat a/file; mkdir missing && echo ok > missing/x; cat missing/x',
      ),
      'oldok\n',
    );
  });

  test('a link keeps nothing, and shows nothing of where it leads', async () => {
    using outside = tree({ secret: 'secret' });
    using files = tree({ 'a/file': 'old' });
    symlinkSync(outside.path, files.at('a/link'));
    symlinkSync(outside.path, files.at('b'));
    const said = await run(files.path, ['a/link', 'b/secret', 'b'], 'cat a/link/secret b/secret');
    assert.doesNotMatch(said, /^secret/m);
  });

  test('a hidden file cannot be opened, changed or taken away', async () => {
    using files = tree({ 'a/log': 'secret', 'a/other': 'x' });
    const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
    const sandbox = await createProcessSandboxes().open({
      read: [],
      write: [files.path],
      readOnly: [files.at('a')],
      hide: [files.at('a/log'), files.at('a/none')],
      hosts: [],
      environment,
    });
    const script =
      'cat a/other; cat a/log; echo new > a/log; mv a/log a/moved; rm -f a/log; cp a/log copy; cat copy';
    const command = { program: 'sh', arguments: ['-c', script], folder: files.path };
    const { stdout, stderr } = await sandbox.run(command, new AbortController().signal);
    await sandbox.close();
    assert.equal(stdout, 'x');
    assert.doesNotMatch(stderr, /secret/);
    assert.equal(readFileSync(files.at('a/log'), 'utf8'), 'secret');
  });

  test('git works in a repository whose hooks and configuration are kept', async () => {
    using files = tree({ 'file.txt': 'x' });
    execFileSync('git', ['init', '-q', files.path]);
    const commit =
      'git add . && git -c user.name=a -c user.email=a@b commit -q -m first && git log --format=%s';
    assert.equal(await run(files.path, ['.git/hooks', '.git/config', '.git/modules'], commit), 'first\n');
    assert.match(await run(files.path, ['.git/hooks', '.git/config'], 'git config core.fsmonitor x'), /.+/);
    assert.doesNotMatch(readFileSync(files.at('.git/config'), 'utf8'), /fsmonitor/);
  });
});
