import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stage, type Open } from './stage.ts';

/** Files that whoever has a sandbox reads and writes in it. */
export function checkFiles(open: Open): void {
  test('files are read and written in the granted folders', async () => {
    await using at = await stage(open);
    await at.sandbox.write('deep/new.txt', Buffer.from('new'));
    assert.equal(readFileSync(join(at.workspace, 'deep/new.txt'), 'utf8'), 'new');
    assert.equal(Buffer.from(await at.sandbox.read('deep/new.txt')).toString(), 'new');
    assert.equal(await at.print('cat deep/new.txt'), 'new');
    await at.run('echo more >> deep/new.txt');
    assert.equal(
      Buffer.from(await at.sandbox.read(join(at.workspace, 'deep/new.txt'))).toString(),
      'newmore\n',
    );
    await assert.rejects(at.sandbox.read('nothing.txt'), { code: 'usage.not-found' });
  });

  test('temporary files are shared by the commands of a sandbox where that is granted, and of no other', async () => {
    const grant = (): { readonly sharesTemporary: true } => ({ sharesTemporary: true });
    await using at = await stage(open, grant);
    await at.run('echo kept > "$TMPDIR/note"');
    assert.equal(await at.print('cat "$TMPDIR/note"'), 'kept');
    await using other = await stage(open, grant);
    assert.equal(await other.print('cat "$TMPDIR/note" 2>/dev/null || echo gone'), 'gone');
  });

  test('files of folders that may only be read are not written', async () => {
    await using at = await stage(open, (_, outside) => ({ read: [outside] }));
    const file = join(at.outside, 'secret.txt');
    assert.equal(Buffer.from(await at.sandbox.read(file)).toString(), 'SECRET');
    await assert.rejects(at.sandbox.write(file, Buffer.from('x')), { code: 'policy.denied' });
    assert.equal(readFileSync(file, 'utf8'), 'SECRET');
  });

  test('files elsewhere are out of reach, through links too', async () => {
    await using at = await stage(open);
    const link = (target: string, name: string): void =>
      symlinkSync(join(at.outside, target), join(at.workspace, name));
    link('secret.txt', 'link.txt');
    link('.', 'folder');
    link('made.txt', 'dangling.txt');
    mkdirSync(join(at.workspace, 'sub'));
    const secret = join(at.outside, 'secret.txt');
    for (const file of ['link.txt', 'folder/secret.txt', '../x', `sub/../../x`, secret, '/etc/passwd']) {
      await assert.rejects(at.sandbox.read(file), { code: 'policy.denied' }, file);
    }
    for (const file of ['link.txt', 'dangling.txt', 'folder/new.txt', '../new.txt', secret]) {
      await assert.rejects(at.sandbox.write(file, Buffer.from('x')), /"[^]+"/, file);
    }
    assert.equal(readFileSync(secret, 'utf8'), 'SECRET');
    assert.equal(existsSync(join(at.outside, 'made.txt')), false);
    assert.equal(existsSync(join(at.outside, 'new.txt')), false);
  });
}
