import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { openTrustBook } from '../policy/trust-book.ts';
import { projectDigest, stateOf } from './project-trust.ts';
import { storePlace } from './store-place.ts';

describe('where runs are kept', () => {
  test('in the nearest folder upwards that has .skilled', () => {
    using files = tree({ 'repo/.git/HEAD': '', 'repo/.skilled/settings.json': '{}', 'repo/a/b/x': '' });
    const place = storePlace(files.at('repo/a/b'), { environment: { HOME: files.path } });
    assert.equal(place.where, files.at('repo/.skilled/skilled.db'));
    assert.equal(place.folder, files.at('repo/.skilled'));
  });

  test('here, where the repository has none, whatever lies above it', () => {
    using files = tree({ '.skilled/settings.json': '{}', 'repo/.git/HEAD': '', 'repo/a/x': '' });
    const place = storePlace(files.at('repo/a'), { environment: { HOME: '/nowhere' } });
    assert.equal(place.where, files.at('repo/a/.skilled/skilled.db'));
  });

  test('never in the home folder because of a folder below it', () => {
    using files = tree({ 'home/.skilled/settings.json': '{}', 'home/work/x': '' });
    const place = storePlace(files.at('home/work'), { environment: { HOME: files.at('home') } });
    assert.equal(place.where, files.at('home/work/.skilled/skilled.db'));
  });

  test('not at an address that no store has, nor in a folder that is not there', () => {
    assert.throws(() => storePlace('/', { environment: { HOME: '/nowhere', SKILLED_STORE: 'mysql://x' } }), {
      code: 'usage.bad-settings',
    });
    using files = tree({ x: '' });
    assert.throws(
      () => storePlace(files.path, { environment: { HOME: '/nowhere', SKILLED_STORE: 'no/runs.db' } }),
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
      const place = (): unknown => storePlace(files.at(project), { environment: { HOME: '/nowhere' } });
      assert.throws(place, { code: 'usage.bad-settings' });
    }
  });

  test('where SKILLED_STORE says', () => {
    using files = tree({ x: '' });
    assert.deepEqual(
      storePlace(files.path, { environment: { HOME: '/nowhere', SKILLED_STORE: 'runs.db' } }),
      {
        where: files.at('runs.db'),
        isAddress: false,
      },
    );
    assert.deepEqual(
      storePlace('/work', { environment: { HOME: '/nowhere', SKILLED_STORE: 'postgres://db/runs' } }),
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
    assert.equal(storePlace(files.at('home/work'), { environment }).where, 'postgres://db/runs', 'untrusted');
    await openTrustBook(files.at('home/.skilled/trust.json')).trustProject({
      folder: files.at('home/work'),
      digest: projectDigest(stateOf(files.at('home/work'))) ?? '',
    });
    const own = { where: files.at('home/work/.skilled/own.db'), isAddress: false, retentionDays: 7 };
    assert.deepEqual(storePlace(files.at('home/work'), { environment }), own);
    assert.equal(storePlace(files.at('home/other'), { environment }).where, 'postgres://db/runs');
    const named = { ...environment, SKILLED_STORE: 'env.db', SKILLED_RETENTION_DAYS: '0' };
    assert.deepEqual(storePlace(files.at('home/work'), { environment: named }), {
      where: files.at('home/work/env.db'),
      isAddress: false,
      retentionDays: 0,
    });
    const empty = { ...environment, SKILLED_STORE: '' };
    assert.deepEqual(storePlace(files.at('home/work'), { environment: empty }), own);
  });

  test('no file says so where files are ignored', () => {
    using files = tree({ 'home/work/.skilled/settings.json': '{"store": ".skilled/own.db"}' });
    const place = storePlace(files.at('home/work'), {
      environment: { HOME: files.at('home') },
      isSafe: true,
    });
    assert.equal(place.where, files.at('home/work/.skilled/skilled.db'));
  });
});
