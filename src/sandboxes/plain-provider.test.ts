import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { settled } from '../../test/support/deadline.ts';
import { gone } from '../../test/support/process-gone.ts';
import { tree } from '../../test/support/tree.ts';
import { sandboxContract } from '../testing/sandbox/contract.ts';
import { createPlainSandboxes } from './plain-provider.ts';
import { sourceUrl } from '../../test/support/source-file.ts';

const never = new AbortController().signal;
const path = '/usr/local/bin:/usr/bin:/bin';
const provider = createPlainSandboxes();

sandboxContract('plain', (grant) => provider.open(grant), { contains: false });

test('it does not say that it contains anything', async () => {
  assert.equal(await provider.contains(), false);
});

test('a command gets exactly the granted environment', async () => {
  using folder = tree();
  const environment = { PATH: path, ONE: 'two' };
  const sandbox = await provider.open({ read: [], write: [folder.path], hosts: [], environment });
  const { stdout } = await sandbox.run({ program: 'env', arguments: [] }, never);
  assert.deepEqual(stdout.trim().split('\n').sort(), ['ONE=two', `PATH=${path}`]);
});

test(
  'a child that left its group keeps no one waiting',
  { skip: !existsSync('/usr/bin/setsid') },
  async () => {
    using folder = tree();
    const sandbox = await provider.open({
      read: [],
      write: [folder.path],
      hosts: [],
      environment: { PATH: path },
    });
    const begun = folder.at('begun');
    const child = `setsid sh -c 'echo $$; echo > ${begun}; exec sleep 3600'`;
    const script = `${child} & until [ -e ${begun} ]; do sleep 0.01; done; echo over`;
    const { stdout } = await settled(sandbox.run({ program: 'sh', arguments: ['-c', script] }, never));
    assert.match(stdout, /^\d+\nover\n$/);
    process.kill(Number.parseInt(stdout, 10), 'SIGKILL');
  },
);

test('a process that exits in the middle takes its commands along', async () => {
  using folder = tree();
  const program = `
    import { createPlainSandboxes } from ${JSON.stringify(sourceUrl('src/sandboxes/plain-provider.ts'))};
    const grant = { read: [], write: [${JSON.stringify(folder.path)}], hosts: [], environment: { PATH: '${path}' } };
    const sandbox = await createPlainSandboxes().open(grant);
    const live = await sandbox.start({ program: 'sh', arguments: ['-c', 'echo $$; exec sleep 3600'] });
    for await (const piece of live.output) { process.stdout.write(piece, () => process.exit(0)); }
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  await gone(Number(stdout));
});
