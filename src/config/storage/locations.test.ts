import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { locateDatabase } from './locations.ts';
import { openDatabase, reportDatabase } from './open-database.ts';

describe('where the command line keeps records', () => {
  test('in the project beside the runs, wherever those are, unless somebody says so', () => {
    using files = tree({
      'repo/.git/HEAD': '',
      'repo/.skilled/settings.json': '{"store": "runs.db"}',
      'repo/a/x': '',
      'own/.skilled/settings.json': '{"database": "data/records.db"}',
      'home/.skilled/settings.json': '{"database": "env:RECORDS"}',
      'home/work/x': '',
    });
    for (const [from, variables, location] of [
      ['repo/a', {}, files.at('repo/.skilled/tables.db')],
      ['repo/a', { SKILLED_STORE: 'postgres://db/runs' }, files.at('repo/.skilled/tables.db')],
      ['repo/a', { SKILLED_DATABASE: 'postgres://db/records' }, 'postgres://db/records'],
      ['repo/a', { SKILLED_DATABASE: 'records.db' }, files.at('repo/a/records.db')],
      ['own', {}, files.at('own/data/records.db')],
      ['home/work', { HOME: files.at('home') }, 'env:RECORDS'],
    ] as const) {
      const environment = { HOME: '/nowhere', ...variables };
      assert.equal(locateDatabase(files.at(from), { environment }), location);
    }
    const environment = { HOME: files.at('home') };
    assert.equal(
      locateDatabase(files.at('own'), { environment, isSafe: true }),
      files.at('own/.skilled/tables.db'),
    );
  });

  test('not where a link of the project leads out of it', async () => {
    using files = tree({
      'a/.skilled/x': '',
      'b/.skilled/settings.json': '{"database": "data/records.db"}',
      'out/records.db': '',
    });
    symlinkSync('../../out/records.db', files.at('a/.skilled/tables.db'));
    symlinkSync('../out', files.at('b/data'));
    for (const project of ['a', 'b'])
      await assert.rejects(
        async () => openDatabase(locateDatabase(files.at(project), { environment: { HOME: '/nowhere' } })),
        { code: 'usage.bad-settings' },
      );
  });
});

test('records are not kept among the runs, however their file is called', () => {
  using files = tree({
    'a/.skilled/settings.json': '{"database": ".skilled/skilled.db"}',
    'b/.skilled/settings.json': '{"database": "kept.db"}',
    'c/.skilled/settings.json': '{"database": "link.db"}',
    'c/.skilled/skilled.db': '',
  });
  symlinkSync('.skilled/skilled.db', files.at('c/link.db'));
  for (const project of ['a', 'b', 'c'])
    assert.throws(
      () => locateDatabase(files.at(project), { environment: { HOME: '/nowhere', ...named(project) } }),
      {
        code: 'usage.bad-settings',
        message: /^Runs and records cannot share one file: .*\.db\.$/,
      },
    );
});

function named(project: string): Record<string, string> {
  return project === 'b' ? { SKILLED_STORE: 'kept.db' } : {};
}

describe('opening a database', () => {
  test('makes the file, and its folder only when that is a .skilled', async () => {
    using files = tree({ 'a/x': '' });
    const options = { environment: { RECORDS: 'named.db', NOTHING: ' ' }, folder: files.path };
    for (const [where, location] of [
      ['a/records.db', files.at('a/records.db')],
      ['env:RECORDS', files.at('named.db')],
      [files.at('p/.skilled/tables.db'), files.at('p/.skilled/tables.db')],
      [undefined, 'memory'],
    ] as const) {
      const database = await openDatabase(where, options);
      assert.deepEqual([database.kind, database.location], ['sqlite', location]);
      await database.close();
      assert.equal(existsSync(location), where !== undefined);
    }
    assert.match(readFileSync(files.at('p/.skilled/.gitignore'), 'utf8'), /^tables\.db\*$/m);
    for (const [where, code, message] of [
      ['no/records.db', 'usage.not-found', /The folder .*no for records does not exist\.$/],
      ['mysql://db/records', 'usage.bad-settings', /Records .* mysql:/],
      ['env:ABSENT', 'usage.bad-settings', /ABSENT/],
      ['env:NOTHING', 'usage.bad-settings', /NOTHING/],
      ['x/.skilled', 'usage.not-found', /The folder .*x for records does not exist\.$/],
    ] as const)
      await assert.rejects(openDatabase(where, options), { code, message, hint: /./ });
    assert.ok(!existsSync(files.at('no')) && !existsSync(files.at('x')));
  });
});

test('no database is created behind a link in a .skilled folder', async () => {
  using files = tree({ 'a/.skilled/x': '', 'b/.skilled/x': '' });
  symlinkSync('../../out.db', files.at('a/.skilled/tables.db'));
  symlinkSync('../../out.db', files.at('b/.skilled/tables.db-wal'));
  for (const project of ['a', 'b']) {
    const location = files.at(project, '.skilled/tables.db');
    await assert.rejects(openDatabase(location), { code: 'usage.bad-settings' });
    const { fault } = await reportDatabase(files.at(project), { environment: { HOME: '/nowhere' } });
    assert.equal(
      project === 'a' ? fault?.code : 'usage.bad-settings',
      'usage.bad-settings',
      'and it is named',
    );
  }
  assert.ok(!existsSync(files.at('out.db')));
});

test('the command that removes a link can be pasted, whatever the folder is called', async () => {
  using files = tree({ "it's mine/.skilled/x": '' });
  const link = files.at("it's mine/.skilled/tables.db");
  symlinkSync('nowhere', link);
  const { fault } = await reportDatabase(files.at("it's mine"), { environment: { HOME: '/nowhere' } });
  execFileSync('sh', ['-c', /`(rm .*?)`/.exec(fault?.hint ?? '')?.[1] ?? 'false']);
  assert.equal(lstatSync(link, { throwIfNoEntry: false }), undefined);
});

describe('the report about the database', () => {
  const report = (path: string, variables: Readonly<Record<string, string>> = {}) =>
    reportDatabase(path, { environment: { HOME: '/nowhere', ...variables } });

  test('looking makes nothing, and says what is wrong without a password', async () => {
    using files = tree({ '.git/HEAD': '', 'text.db': 'no database at all\n'.repeat(50) });
    const location = files.at('.skilled/tables.db');
    assert.deepEqual(await report(files.path), { location });
    assert.ok(!existsSync(files.at('.skilled')));
    await (await openDatabase(location)).close();
    assert.deepEqual(await report(files.path), { location, kind: 'sqlite' });
    for (const [named, message] of [
      ['text.db', /text\.db cannot be used/],
      ['postgres://ann:open-sesame@127.0.0.1:1/records', /"records" on 127\.0\.0\.1:1/],
      ['env:ABSENT', /ABSENT/],
    ] as const) {
      const { fault, ...rest } = await report(files.path, { SKILLED_DATABASE: named });
      assert.match(fault?.message ?? '', message);
      assert.doesNotMatch(JSON.stringify([rest, fault]), /open-sesame/);
    }
  });
});
