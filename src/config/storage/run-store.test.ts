import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { openTrustBook } from '../../policy/trust-book.ts';
import { openSqliteStore } from '../../stores/sqlite/store.ts';
import { createStoreFile, newStoreId, readStoreHead } from '../../stores/sqlite/store-file.ts';
import { projectDigest, stateOf } from '../trust.ts';
import { createKnownStore, readKnownStores } from './known-stores.ts';
import { adoptStore, examineStore, locateStore } from './run-store.ts';

/** Creates a workspace `a` with a store of the user of `home`. */
async function workspace(): Promise<{ files: Tree; environment: Record<string, string>; store: string }> {
  const files = tree({ 'a/.git/HEAD': '', 'a/.skilled/x': '' });
  const environment = { HOME: files.at('home') };
  const store = files.at('a/.skilled/skilled.db');
  await createKnownStore(store, environment);
  await (await openSqliteStore(store)).close();
  return { files, environment, store };
}

describe('a store that is found in a workspace', () => {
  test('counts where it was made, also through a link to the workspace', async () => {
    const { files, environment, store } = await workspace();
    using _files = files;
    symlinkSync('a', files.at('link'));
    for (const cwd of ['a', 'link']) {
      const { where, foreign } = locateStore(files.at(cwd), { environment });
      assert.deepEqual([where, foreign], [files.at(cwd, '.skilled/skilled.db'), undefined]);
    }
    const [known, ...others] = readKnownStores(environment);
    const head = readStoreHead(store);
    assert.deepEqual([known?.path, others], [store, []]);
    assert.deepEqual(head, { is: 'store', id: known?.id });
    assert.doesNotMatch(readFileSync(files.at('home/.skilled/stores.json'), 'utf8'), /host/);
  });

  const foreign: Readonly<Record<string, readonly [change: (files: Tree) => unknown, reason: RegExp]>> = {
    'was moved': [
      (files) => renameSync(files.at('a'), files.at('b')),
      /created at .*\/a\/\.skilled\/skilled\.db, then moved/,
    ],
    'was copied': [(files) => cpSync(files.at('a'), files.at('b'), { recursive: true }), /moved or copied/],
    'is of another user, as in a container with a fresh home': [
      (files) => {
        renameSync(files.at('home'), files.at('other'));
        renameSync(files.at('a'), files.at('b'));
      },
      /not in your list of stores/,
    ],
    'was made by a version without ids': [
      async (files) => {
        files.write('b/.skilled/x', '');
        await (await openSqliteStore(files.at('b/.skilled/skilled.db'))).close();
      },
      /has no id/,
    ],
    'replaced the one that was made here': [
      (files) => {
        renameSync(files.at('a/.skilled/skilled.db'), files.at('moved'));
        createStoreFile(files.at('a/.skilled/skilled.db'), newStoreId());
        symlinkSync('a', files.at('b'));
      },
      /replaced another/,
    ],
    'is empty': [(files) => files.write('b/.skilled/skilled.db', ''), /it is empty/],
    'is a folder': [(files) => files.write('b/.skilled/skilled.db/x', ''), /it is not a regular file/],
  };
  for (const [symptom, [change, reason]] of Object.entries(foreign))
    test(`does not count when it ${symptom}; runs are kept in the user's folder`, async () => {
      const { files, environment } = await workspace();
      using _files = files;
      await change(files);
      const location = locateStore(files.at('b'), { environment });
      assert.match(location.foreign?.reason ?? '', reason);
      assert.ok(location.where.startsWith(files.at('home/.skilled/stores/')), location.where);
    });

  test('counts again once it was adopted, with an id that no one knew before', async () => {
    const { files, environment } = await workspace();
    using _files = files;
    cpSync(files.at('a'), files.at('b'), { recursive: true });
    const store = files.at('b/.skilled/skilled.db');
    const examined = await examineStore(store, environment);
    assert.ok(examined !== undefined);
    assert.equal(await adoptStore(examined, environment), 0);
    assert.equal(locateStore(files.at('b'), { environment }).where, store);
    assert.equal(locateStore(files.at('a'), { environment }).foreign, undefined, 'the original still counts');
    const ids = readKnownStores(environment).map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
    assert.equal(await examineStore(store, environment), undefined);
  });

  const damages: Readonly<Record<string, readonly [(store: string) => void, RegExp]>> = {
    'was emptied': [(store) => truncateSync(store), /is damaged: it is empty/],
    'was cut off': [(store) => truncateSync(store, 4_096), /is damaged: it is shorter/],
    'was overwritten': [
      (store) => writeFileSync(store, 'x'.repeat(5_000)),
      /is damaged: it is not a database/,
    ],
    'has a planted journal': [
      (store) => writeFileSync(`${store}-journal`, ''),
      /-journal was not created by skilled/,
    ],
    'has a planted log': [
      (store) => writeFileSync(`${store}-wal`, '', { mode: 0o644 }),
      /-wal was not created by/,
    ],
  };
  for (const [symptom, [damage, message]] of Object.entries(damages))
    test(`is an error with a way out when it ${symptom}, and is not made again`, async () => {
      const { files, environment, store } = await workspace();
      using _files = files;
      damage(store);
      const before = readFileSync(store);
      assert.throws(() => locateStore(files.at('a'), { environment }), {
        code: 'sandbox.store',
        message,
        hint: /`(mv|rm) '/,
      });
      assert.deepEqual(readFileSync(store), before);
    });

  test('is made once by many at the same moment', async () => {
    using files = tree({ 'a/.skilled/x': '' });
    const environment = { HOME: files.at('home') };
    const store = files.at('a/.skilled/skilled.db');
    await Promise.all(Array.from({ length: 8 }, () => createKnownStore(store, environment)));
    const known = readKnownStores(environment);
    assert.deepEqual([known.length, readStoreHead(store)], [1, { is: 'store', id: known[0]?.id }]);
  });

  test('does not take over what is next to its path before it is made', async () => {
    using files = tree({
      'a/.skilled/skilled.db-wal': 'planted',
      'a/.skilled/skilled.db-journal': 'planted',
    });
    await createKnownStore(files.at('a/.skilled/skilled.db'), { HOME: files.at('home') });
    assert.ok(!existsSync(files.at('a/.skilled/skilled.db-wal')));
    assert.ok(!existsSync(files.at('a/.skilled/skilled.db-journal')));
  });
});

describe('where runs are kept', () => {
  test('in the nearest folder upwards that has .skilled', () => {
    using files = tree({ 'repo/.git/HEAD': '', 'repo/.skilled/settings.json': '{}', 'repo/a/b/x': '' });
    const location = locateStore(files.at('repo/a/b'), { environment: { HOME: files.path } });
    assert.equal(location.where, files.at('repo/.skilled/skilled.db'));
    assert.equal(location.folder, files.at('repo/.skilled'));
  });

  test('in the current folder if the repository has none, whatever is above it', () => {
    using files = tree({ '.skilled/settings.json': '{}', 'repo/.git/HEAD': '', 'repo/a/x': '' });
    const location = locateStore(files.at('repo/a'), { environment: { HOME: '/nowhere' } });
    assert.equal(location.where, files.at('repo/a/.skilled/skilled.db'));
  });

  test('never in the home folder because of a folder below it', () => {
    using files = tree({ 'home/.skilled/settings.json': '{}', 'home/work/x': '' });
    const location = locateStore(files.at('home/work'), { environment: { HOME: files.at('home') } });
    assert.equal(location.where, files.at('home/work/.skilled/skilled.db'));
  });

  test('not at an address that no store has, nor in a folder that is not there', () => {
    assert.throws(() => locateStore('/', { environment: { HOME: '/nowhere', SKILLED_STORE: 'mysql://x' } }), {
      code: 'usage.bad-settings',
    });
    using files = tree({ x: '' });
    assert.throws(
      () => locateStore(files.path, { environment: { HOME: '/nowhere', SKILLED_STORE: 'no/runs.db' } }),
      {
        code: 'usage.not-found',
      },
    );
  });

  test('not where a link is, wherever it leads', () => {
    using files = tree({
      'a/.skilled/x': '',
      'b/.skilled/x': '',
      'c/.skilled/x': '',
      'd/x': '',
      'out/runs.db': '',
    });
    symlinkSync('../../out/runs.db', files.at('a/.skilled/skilled.db'));
    symlinkSync('../../out/dangling.db', files.at('b/.skilled/skilled.db'));
    symlinkSync('x', files.at('c/.skilled/skilled.db-wal'));
    symlinkSync('../a/.skilled', files.at('d/.skilled'));
    for (const project of ['a', 'b', 'c', 'd']) {
      const location = (): unknown => locateStore(files.at(project), { environment: { HOME: '/nowhere' } });
      assert.throws(location, { code: 'usage.bad-settings' });
    }
  });

  test('where SKILLED_STORE says', () => {
    using files = tree({ x: '' });
    assert.deepEqual(
      locateStore(files.path, { environment: { HOME: '/nowhere', SKILLED_STORE: 'runs.db' } }),
      {
        where: files.at('runs.db'),
        isAddress: false,
      },
    );
    assert.deepEqual(
      locateStore('/work', { environment: { HOME: '/nowhere', SKILLED_STORE: 'postgres://db/runs' } }),
      {
        where: 'postgres://db/runs',
        isAddress: true,
      },
    );
  });

  test('where the settings say, below the environment, those of a project once it is trusted', async () => {
    using files = tree({
      'home/.skilled/settings.json': '{"store": "postgres://db/runs", "retentionDays": 7}',
      'home/work/.skilled/settings.json': '{"store": ".skilled/own.db"}',
      'home/other/x': '',
    });
    const environment = { HOME: files.at('home') };
    assert.equal(
      locateStore(files.at('home/work'), { environment }).where,
      'postgres://db/runs',
      'untrusted',
    );
    await openTrustBook(files.at('home/.skilled/trust.json')).trustProject({
      folder: files.at('home/work'),
      digest: projectDigest(stateOf(files.at('home/work'))) ?? '',
    });
    const own = { where: files.at('home/work/.skilled/own.db'), isAddress: false, retentionDays: 7 };
    assert.deepEqual(locateStore(files.at('home/work'), { environment }), own);
    assert.equal(locateStore(files.at('home/other'), { environment }).where, 'postgres://db/runs');
    const named = { ...environment, SKILLED_STORE: 'env.db', SKILLED_RETENTION_DAYS: '0' };
    assert.deepEqual(locateStore(files.at('home/work'), { environment: named }), {
      where: files.at('home/work/env.db'),
      isAddress: false,
      retentionDays: 0,
    });
    const empty = { ...environment, SKILLED_STORE: '' };
    assert.deepEqual(locateStore(files.at('home/work'), { environment: empty }), own);
  });

  test('no file says so where files are ignored', () => {
    using files = tree({ 'home/work/.skilled/settings.json': '{"store": ".skilled/own.db"}' });
    const location = locateStore(files.at('home/work'), {
      environment: { HOME: files.at('home') },
      isSafe: true,
    });
    assert.equal(location.where, files.at('home/work/.skilled/skilled.db'));
  });
});
