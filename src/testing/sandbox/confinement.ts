import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stage, type OpenSandbox } from './test-sandbox.ts';

/** Registers tests that check that sandboxed processes cannot reach their host. */
export function checkConfinement(open: OpenSandbox): void {
  test('processes read nothing outside, by any path', async () => {
    await using at = await stage(open);
    symlinkSync(join(at.outside, 'secret.txt'), join(at.workspace, 'link.txt'));
    symlinkSync(at.outside, join(at.workspace, 'folder'));
    const secret = join(at.outside, 'secret.txt');
    const up = `../../../../../../..${secret}`;
    const paths = [secret, 'link.txt', 'folder/secret.txt', up];
    const roots = ['/proc/1/root', '/proc/self/root', '/proc/1/cwd/../../../..', '/proc/$PPID/root'];
    for (const path of [...paths, ...roots.map((root) => root + secret)]) {
      assert.equal(await at.print(`cat ${path} 2>/dev/null`), '', path);
    }
    assert.equal(await at.print(`ls -d ${at.outside} 2>/dev/null`), '');
  });

  test('processes write nothing outside, by any path', async () => {
    await using at = await stage(open);
    symlinkSync(at.outside, join(at.workspace, 'folder'));
    await at.run(
      `echo x > ${at.outside}/secret.txt; echo x > folder/new.txt; rm -rf ${at.outside}; mkdir -p ${at.outside}/x`,
    );
    assert.deepEqual(readdirSync(at.outside), ['secret.txt']);
    assert.equal(readFileSync(join(at.outside, 'secret.txt'), 'utf8'), 'SECRET');
  });

  test('a folder with read access can be read but not changed', async () => {
    await using at = await stage(open, (_, outside) => ({ read: [outside] }));
    assert.equal(await at.print(`cat ${at.outside}/secret.txt`), 'SECRET');
    const changes = [
      'echo x > secret.txt',
      'echo x > new.txt',
      'rm secret.txt',
      'chmod 777 .',
      'touch secret.txt',
    ];
    for (const change of changes) {
      assert.notEqual((await at.run(`cd ${at.outside} && ${change}`)).exitCode, 0, change);
    }
    assert.deepEqual(readdirSync(at.outside), ['secret.txt']);
  });

  test('writable folders can be inside readable ones, and the reverse', async () => {
    await using at = await stage(open, (workspace) => {
      for (const name of ['out', 'bundle/deep']) mkdirSync(join(workspace, name), { recursive: true });
      writeFileSync(join(workspace, 'bundle/a.txt'), 'a');
      return { read: [workspace, join(workspace, 'out/../bundle')], write: [join(workspace, 'out')] };
    });
    const script = `cd ${at.workspace}; cat bundle/a.txt; echo b > out/b.txt; echo c > c.txt; echo d > bundle/d.txt`;
    assert.equal(await at.print(script), 'a');
    assert.deepEqual(readdirSync(at.workspace).sort(), ['bundle', 'out']);
    assert.ok(existsSync(join(at.workspace, 'out/b.txt')));
  });

  test('a link in a writable folder does not grant its target', async () => {
    await using at = await stage(open, (workspace, outside) => {
      symlinkSync(outside, join(workspace, 'bundle'));
      return { read: [join(workspace, 'bundle')] };
    });
    await assert.rejects(at.run('cat bundle/secret.txt'), { code: 'policy.denied' });
  });

  test('system folders cannot be granted by mistake', async () => {
    for (const folder of ['/', '/etc', '/proc', '/dev', '/usr', '/run']) {
      await using at = await stage(open, { write: [folder] });
      await assert.rejects(at.run('true', { folder }), { code: 'policy.denied' }, folder);
    }
  });

  test('processes see only their own, and cannot change the machine', async () => {
    await using at = await stage(open);
    assert.ok(Number(await at.print('ls -d /proc/[0-9]* | wc -l')) < 10);
    const status = await at.print('cat /proc/self/status');
    assert.match(status, /^CapEff:\s+0+$/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    // A faulty sandbox would run these commands, so where a command could harm the machine, only access is
    // tested.
    const forbidden = [
      ...['[ -w /proc/sys/kernel/core_pattern ]', '[ -w /proc/sys/vm/swappiness ]', 'echo x > /usr/x'],
      ...[
        'echo x > /x',
        'echo x > /dev/x',
        'echo x > /etc/x',
        'mount -t tmpfs none /tmp',
        'unshare -Ur true',
      ],
      ...['[ -w /proc/sysrq-trigger ]', 'cat /etc/shadow', 'cat /dev/mem', 'ls /sys/kernel', 'mknod m c 1 1'],
    ];
    for (const command of forbidden) assert.notEqual((await at.run(command)).exitCode, 0, command);
  });

  test('home and temporary folder are private, and removed afterwards', async () => {
    await using at = await stage(open, {
      environment: { PATH: '/usr/bin:/bin', HOME: '/root', TMPDIR: '/var' },
    });
    const script = 'echo x > "$HOME/file" && echo y > "$TMPDIR/file" && cat "$HOME/file" /tmp/file && id -un';
    assert.equal(await at.print(script), 'x\ny\nuser');
    assert.equal(await at.print('ls "$HOME"'), '');
    assert.equal(existsSync('/tmp/home/file'), false);
  });

  test('environment variables cannot change the sandbox', async () => {
    const environment = {
      PATH: '/usr/bin:/bin',
      LD_PRELOAD: '/nowhere/x.so',
      BWRAP: '1',
      'odd-name': 'kept',
    };
    await using at = await stage(open, { environment });
    assert.match(await at.print('env 2>/dev/null'), /^LD_PRELOAD=\/nowhere\/x.so$/m);
    const injected = { PATH: 'x\0--bind\0/\0/' };
    await using bad = await stage(open, { environment: injected });
    await assert.rejects(bad.run('true'), { code: 'usage.bad-input' });
  });
}

/** Registers tests for the sandbox methods that read and write files. */
export function checkFiles(open: OpenSandbox): void {
  test('reads and writes files in granted folders', async () => {
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

  test('commands share temporary files if granted, but only within one sandbox', async () => {
    const grant = (): { readonly sharesTemporary: true } => ({ sharesTemporary: true });
    await using at = await stage(open, grant);
    await at.run('echo kept > "$TMPDIR/note"');
    assert.equal(await at.print('cat "$TMPDIR/note"'), 'kept');
    await using other = await stage(open, grant);
    assert.equal(await other.print('cat "$TMPDIR/note" 2>/dev/null || echo gone'), 'gone');
  });

  test('does not write files in read-only folders', async () => {
    await using at = await stage(open, (_, outside) => ({ read: [outside] }));
    const file = join(at.outside, 'secret.txt');
    assert.equal(Buffer.from(await at.sandbox.read(file)).toString(), 'SECRET');
    await assert.rejects(at.sandbox.write(file, Buffer.from('x')), { code: 'policy.denied' });
    assert.equal(readFileSync(file, 'utf8'), 'SECRET');
  });

  test('does not reach files elsewhere, even through links', async () => {
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
