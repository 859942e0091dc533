import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { tree } from '../../../../test/support/tree.ts';
import { openSqliteStore } from '../../../stores/sqlite/store.ts';
import { createAuthenticator } from '../../../server/keys/authenticate.ts';
import { createKeyStore } from '../../../server/keys/key-store.ts';
import { isAgentError } from '../../../core/index.ts';

leaveHome();

describe('keys', () => {
  test('a key that was added works, is shown once, and is not in any file', async () => {
    using files = tree({ '.git/HEAD': '' });
    const run = (...args: readonly string[]) => call(['keys', ...args, '--cwd', files.path]);
    const limits = ['--cost-per-day', '2.5', '--rate', '60', '--max-runs', '3'];
    const owner = ['--user', 'anna', '--role', 'editor', '--scope', 'runs:read,admin', '--days', '90'];
    const added = await run('add', 'laptop', ...owner, ...limits, '--call', 'report*', '--deny', 'Bash');
    assert.equal(added.code, 0, added.err);
    const key = added.out.trim();
    assert.match(key, /^sk_[a-z0-9]{12}_[\w-]{43}$/);
    assert.ok(!added.err.includes(key));
    const secret = key.slice(16);
    assert.ok(!readFileSync(files.at('.skilled/skilled.db')).includes(secret));

    const listed = await run('list', '--json');
    assert.ok(!listed.out.includes(secret) && !listed.out.includes('hash'));
    const [record] = documentOf(listed)['keys'] as readonly Record<string, unknown>[];
    assert.deepEqual(
      [record?.['name'], record?.['user'], record?.['roles'], record?.['scopes'], record?.['lastUsedAt']],
      ['laptop', 'anna', ['editor'], ['runs:read', 'admin'], undefined],
    );
    assert.deepEqual(
      [record?.['budget'], record?.['rate'], record?.['concurrentRuns'], record?.['skills']],
      [{ cost: 2.5 }, { perMinute: 60, burst: 10 }, 3, ['report*']],
    );
    const table = await run();
    assert.match(table.out, /^NAME +ID +OWNER +SCOPES +EXPIRES +LAST USE\nlaptop +\w{12} +anna \(editor\) /);

    const store = await openSqliteStore(files.at('.skilled/skilled.db'));
    const authenticate = () =>
      createAuthenticator({ keys: createKeyStore(store) }).authenticate(new Headers({ 'x-api-key': key }));
    const principal = await authenticate();
    assert.ok(!isAgentError(principal) && principal.user === 'anna');
    assert.match((await run()).out, /just now/);
    assert.equal((await run('revoke', 'laptop')).out, 'revoked laptop\n');
    assert.ok(isAgentError(await authenticate()));
    await store.close();
    assert.deepEqual(documentOf(await run('--json'))['keys'], []);
  });

  test('reading keys creates no store', async () => {
    using files = tree({ '.git/HEAD': '' });
    const { code, out, err } = await call(['keys', '--cwd', files.path]);
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /no keys/);
    const revoked = await call(['keys', 'revoke', 'x', '--json', '--cwd', files.path]);
    assert.equal(errorIn(revoked).code, 'usage.not-found');
    assert.ok(!existsSync(files.at('.skilled')));
  });

  test('wrong arguments are refused before anything is stored', async () => {
    using files = tree({ '.git/HEAD': '' });
    for (const args of [
      ['frob'],
      ['add'],
      ['revoke'],
      ['list', 'x'],
      ['list', '--user', 'anna'],
      ['revoke', 'x', '--scope', 'admin'],
      ['add', 'x', '--scope', 'runs:all'],
      ['add', 'x', '--days', 'soon'],
      ['add', 'x', '--burst', '3'],
      ['add', 'x', '--max-runs', '0'],
    ]) {
      const ended = await call(['keys', ...args, '--json', '--cwd', files.path]);
      assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input'], args.join(' '));
    }
    assert.ok(!existsSync(files.at('.skilled')));
    for (const args of [
      ['add', '-'],
      ['add', 'x', '--days', '0'],
      ['add', 'x', '--deny', '('],
    ])
      assert.equal((await call(['keys', ...args, '--cwd', files.path])).code, 2, args.join(' '));
  });
});
