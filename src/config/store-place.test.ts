import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { storePlace } from './store-place.ts';

describe('where runs are kept', () => {
  test('in the nearest folder upwards that has .skilled', () => {
    using files = tree({ 'repo/.git/HEAD': '', 'repo/.skilled/settings.json': '{}', 'repo/a/b/x': '' });
    const place = storePlace(files.at('repo/a/b'), { HOME: files.path });
    assert.equal(place.where, files.at('repo/.skilled/skilled.db'));
    assert.equal(place.folder, files.at('repo/.skilled'));
  });

  test('here, where the repository has none, whatever lies above it', () => {
    using files = tree({ '.skilled/settings.json': '{}', 'repo/.git/HEAD': '', 'repo/a/x': '' });
    const place = storePlace(files.at('repo/a'), { HOME: '/nowhere' });
    assert.equal(place.where, files.at('repo/a/.skilled/skilled.db'));
  });

  test('never in the home folder because of a folder below it', () => {
    using files = tree({ 'home/.skilled/settings.json': '{}', 'home/work/x': '' });
    const place = storePlace(files.at('home/work'), { HOME: files.at('home') });
    assert.equal(place.where, files.at('home/work/.skilled/skilled.db'));
  });

  test('not at an address that no store has, nor in a folder that is not there', () => {
    assert.throws(() => storePlace('/', { SKILLED_STORE: 'mysql://x' }), { code: 'usage.bad-settings' });
    using files = tree({ x: '' });
    assert.throws(() => storePlace(files.path, { SKILLED_STORE: 'no/runs.db' }), { code: 'usage.not-found' });
  });

  test('where SKILLED_STORE says', () => {
    using files = tree({ x: '' });
    assert.deepEqual(storePlace(files.path, { SKILLED_STORE: 'runs.db' }), {
      where: files.at('runs.db'),
      isAddress: false,
    });
    assert.deepEqual(storePlace('/work', { SKILLED_STORE: 'postgres://db/runs' }), {
      where: 'postgres://db/runs',
      isAddress: true,
    });
  });
});
