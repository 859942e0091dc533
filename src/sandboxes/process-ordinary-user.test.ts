import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';

// Most people are not root, and root may do things that others may not: both have to pass.
test('it keeps the contract for an ordinary user too', { skip: withoutBubblewrap }, async (t) => {
  if (process.getuid?.() !== 0) return; // then the other tests are already those of an ordinary user
  const tests = join(import.meta.dirname, 'process.test.ts');
  const words = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '--test', tests];
  const child = spawn('setpriv', words, {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.equal(child.exitCode, 0, printed);
  t.diagnostic(/^ℹ pass \d+$/m.exec(printed)?.[0] ?? printed);
});
