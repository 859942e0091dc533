import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { isWithin } from '../files/paths.ts';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { projectRoot, sourceFile } from '../../test/support/source-file.ts';

const root = projectRoot;

// The user `nobody` may not be able to read the project's folder, so it is mounted at another path.
const elsewhere = '/mnt';
const moved = 'mount --bind "$0" /mnt && cd / && exec "$@"';

// These tests run as an ordinary user as well as root, because root has more permissions.
for (const file of ['bubblewrap-provider.test.ts', 'protected/sockets.test.ts']) {
  test(`${file} passes for an ordinary user too`, { skip: withoutBubblewrap }, async (t) => {
    if (process.getuid?.() !== 0) return; // in that case, the other tests already run as an ordinary user
    const at = (path: string): string =>
      isWithin(path, root) ? join(elsewhere, relative(root, path)) : path;
    const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const node = [at(process.execPath), '--test', at(sourceFile(`src/sandboxes/${file}`))];
    const child = spawn('unshare', ['--mount', 'sh', '-c', moved, root, ...nobody, ...node], {
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    assert.equal(child.exitCode, 0, printed);
    t.diagnostic(/^ℹ pass \d+$/m.exec(printed)?.[0] ?? printed);
  });
}
