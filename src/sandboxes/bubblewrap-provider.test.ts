import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { until } from '../../test/support/deadline.ts';
import { tree } from '../../test/support/tree.ts';
import type { Grant } from '../core/sandbox.ts';
import { sandboxContract } from '../testing/sandbox/contract.ts';
import { createProcessSandboxes } from './bubblewrap-provider.ts';
import { sourceUrl } from '../../test/support/source-file.ts';

const never = new AbortController().signal;
const provider = createProcessSandboxes();
const grantOf = (more: Partial<Grant>): Grant => ({
  read: [],
  write: [],
  hosts: [],
  environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  ...more,
});

async function print(grant: Partial<Grant>, script: string): Promise<string> {
  const sandbox = await provider.open(grantOf(grant));
  const { stdout, stderr } = await sandbox.run({ program: 'sh', arguments: ['-c', script] }, never);
  await sandbox.close();
  return `${stdout}${stderr}`.trim();
}

if (withoutBubblewrap === false) {
  sandboxContract('process', (grant) => provider.open(grant), { contains: true });
}

describe('the process sandbox', { skip: withoutBubblewrap, concurrency: 4 }, () => {
  test('says that it contains', async () => {
    assert.equal(await provider.contains(), true);
  });

  test('starts in a folder of its own when nothing is granted', async () => {
    assert.equal(await print({}, 'pwd; ls -Ad home'), '/tmp\nhome');
    const others = await print({}, 'find . -type f -not -path "*/node*" | head');
    assert.equal(others, '', 'but for the Node that may lie there, it is empty');
  });

  test('shows a folder that was granted by a link at both of its paths', async () => {
    using files = tree({ 'real/a.txt': 'a' });
    symlinkSync(files.at('real'), files.at('link'));
    const both = `cat ${files.at('link/a.txt')} ${files.at('real/a.txt')}; echo b > ${files.at('link/b.txt')}`;
    assert.equal(await print({ write: [files.at('link')] }, both), 'aa');
    assert.ok(existsSync(files.at('real/b.txt')));
  });

  test('continues without a granted folder that does not exist', async () => {
    using files = tree();
    assert.equal(await print({ read: [files.at('nowhere')], write: [files.path] }, 'echo works'), 'works');
    assert.equal(existsSync(files.at('nowhere')), false);
  });

  test('is given single files to read, without what is beside them, and none to write', async () => {
    using files = tree({ 'a.txt': 'a', 'b.txt': 'b' });
    const [file, folder] = [files.at('a.txt'), files.path];
    const look = `ls ${folder}; cat ${file}; echo x 2>/dev/null > ${file} || echo refused`;
    assert.equal(await print({ read: [file], write: [] }, look), 'a.txt\narefused');
    const script = `mv ${file} ${folder}/c.txt 2>/dev/null || echo kept; ${look}`;
    assert.equal(await print({ read: [file], write: [folder] }, script), 'kept\na.txt\nb.txt\narefused');
    const wrong = { code: 'usage.bad-input', message: /a\.txt/ };
    await assert.rejects(print({ read: [], write: [file] }, 'true'), wrong);
  });

  test('starts in the first folder that is granted, and in one of its own where only files are', async () => {
    using files = tree({ 'a.txt': 'a' });
    const read = [files.at('a.txt'), files.path];
    assert.equal(await print({ read, write: [] }, 'pwd'), files.path);
    assert.equal(await print({ read: read.slice(0, 1), write: [] }, 'pwd'), '/tmp');
  });

  test('keeps a folder to read as it is, in one that may be written', async () => {
    using files = tree();
    mkdirSync(files.at('bundle'));
    const script = 'echo x > bundle/x; echo y > y; mv bundle away; ls';
    assert.match(await print({ read: [files.at('bundle')], write: [files.path] }, script), /^bundle\ny\n/);
    assert.equal(existsSync(files.at('bundle/x')), false);
  });

  test('says why it failed to start', async () => {
    const fault = { code: 'sandbox.unavailable', message: /failed to start: bwrap: .*setenv/ };
    await assert.rejects(print({ environment: { 'A=B': 'x' } }, 'true'), fault);
  });

  test('is not left by a command that kills what runs it', async () => {
    using files = tree();
    const script =
      '(while :; do echo x >> beats; sleep 0.01; done) >/dev/null 2>&1 & until [ -s beats ]; do sleep 0.01; done; kill -9 $PPID; sleep 3600';
    assert.equal(await print({ write: [files.path] }, script), '');
    const beats = (): number => readFileSync(files.at('beats')).length;
    await until(async () => {
      const before = beats();
      await delay(100); // several heartbeats
      return beats() === before;
    }, 'the end of the beats');
  });

  const chromium = '/etc/chromium.d';
  test(
    'shows the settings without which Chromium fails to start',
    { skip: !existsSync(chromium) },
    async () => {
      assert.equal(await print({}, `ls ${chromium} | sort`), readdirSync(chromium).sort().join('\n'));
      assert.match(await print({}, 'ls /etc/shadow'), /No such file/);
    },
  );

  test('runs the Node that runs us', async () => {
    assert.equal(await print({}, `${process.execPath} -p 1+1`), '2');
  });

  test('passes on nothing that its own process was given open', async () => {
    const program = `
      import { createProcessSandboxes } from ${JSON.stringify(sourceUrl('src/sandboxes/bubblewrap-provider.ts'))};
      const sandbox = await createProcessSandboxes().open(${JSON.stringify(grantOf({}))});
      const list = { program: 'sh', arguments: ['-c', 'cd /proc/self/fd; for each in *; do readlink $each; done'] };
      process.stdout.write((await sandbox.run(list, new AbortController().signal)).stdout);
    `;
    const script = 'exec 8</ 40</ 97</; exec "$0" --input-type=module --eval "$1"';
    const { stdout } = await promisify(execFile)('bash', ['-c', script, process.execPath, program]);
    assert.match(stdout, /\/dev\/null/);
    assert.doesNotMatch(stdout, /^\/$/m);
  });

  test('keeps calls to itself that no namespace keeps apart', async () => {
    const perl = (code: string): Promise<string> => print({}, `perl -e '${code} or print "refused: $!"'`);
    assert.match(await perl('socket(my $to, 40, 1, 0)'), /^refused: Address family not supported/); // to the host
    assert.equal(await perl('socket(my $to, 1, 1, 0)'), '');
    const keys = process.arch === 'x64' ? 250 : 219;
    assert.match(await perl(`syscall(${keys}, 0, -3, 0) >= 0`), /^refused: Operation not permitted/);
  });

  test('gives no memory that would not be counted: unnamed files, shared segments and messages', async () => {
    const [memfd, secret] = process.arch === 'x64' ? [319, 447] : [279, 447];
    const script = `my $name = "x";
      sub answer { print shift() >= 0 ? "given" : $!{ENOSYS} ? "refused" : $!, "\\n" }
      answer syscall(${memfd}, $name, 0);
      answer syscall(${secret}, 0);
      answer shmget(0, 4097, 0600) // -1;
      answer shmget(0, 2 ** 33, 0600) // -1;
      answer shmget(0, 4096, 0600) // -1;
      answer msgget(0, 0600) // -1;
      answer semget(0, 1, 0600) // -1`;
    const sandbox = await provider.open(grantOf({}));
    const { stdout, stderr } = await sandbox.run(
      { program: 'perl', arguments: ['-MErrno', '-e', script] },
      never,
    );
    await sandbox.close();
    const refused = 'refused\n';
    assert.equal(stdout, `${refused.repeat(4)}given\n${refused.repeat(2)}`, stderr);
  });
});
