import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, workspace } from '../../../../test/support/command.ts';
import { startPostgres } from '../../../../test/support/postgres.ts';
import type { Tree } from '../../../../test/support/tree.ts';
import { openDatabase } from '../../../config/storage/open-database.ts';
import { defineFamily } from '../../../core/family.ts';
import { filesFrom } from './new-from-database.ts';

leaveHome();

function shop(files: Tree, file = 'shop.db'): void {
  using database = new DatabaseSync(files.at(file));
  database.exec(`create table "Order Items" (id integer primary key, what varchar(20) not null);
    insert into "Order Items" values (7, 'saw')`);
}

describe('new --from', () => {
  test('describes a table of a database, and says how the skill finds it', async () => {
    using files = workspace();
    shop(files);
    const file = files.at('.agents/skills/order-items/tskill.md');
    const set = `skilled config set skills.entries.order-items.override.database ${files.at('shop.db')} --cwd ${files.path}`;
    const { code, out, err } = await call([
      'new',
      'table',
      '--from',
      'shop.db',
      'order_items',
      '--cwd',
      files.path,
    ]);
    assert.deepEqual([code, out], [0, `${file}\n`]);
    assert.equal(err.split('\n')[1], `  ${set}`, err);
    assert.match(readFileSync(file, 'utf8'), /^# Order Items Skill\n/);

    assert.equal((await call(set.split(' ').slice(1))).code, 0);
    const listed = await call(['run', '/order-items', 'list', '--json', '--cwd', files.path]);
    const { value } = documentOf(listed) as { value?: { records?: unknown } };
    assert.deepEqual(value?.records, [{ id: 7, what: 'saw' }], listed.out);
  });

  for (const args of [
    ['goods', '--from', 'shop.db', 'Order Items'],
    ['--from', 'shop.db', 'Order Items', '--name', 'goods'],
  ]) {
    test(`the skill may be named otherwise: ${args.join(' ')}`, async () => {
      using files = workspace();
      shop(files);
      const document = documentOf(await call(['new', 'table', ...args, '--json', '--cwd', files.path]));
      const key = 'skills.entries.goods.override.database';
      const value = files.at('shop.db');
      const setting = { key, value, command: `skilled config set ${key} ${value} --cwd ${files.path}` };
      const file = files.at('.agents/skills/goods/tskill.md');
      assert.deepEqual(document, { ok: true, files: [file], setting });
      const text = readFileSync(file, 'utf8');
      assert.match(
        text,
        /^---\nname: "goods"\n---\n\n# Order Items Skill\n[\s\S]*## Database Table\n\n"Order Items"\n/,
      );
      const checked = documentOf(await call(['validate', file, '--json', '--cwd', files.path]));
      assert.equal(checked['ok'], true, JSON.stringify(checked));
    });
  }

  test('nothing has to be set for the database that is used anyway', async () => {
    using files = workspace();
    files.write('.skilled/.gitignore', '*\n');
    shop(files, '.skilled/tables.db');
    const args = [
      'new',
      'table',
      '--from',
      '.skilled/tables.db',
      'Order Items',
      '--json',
      '--cwd',
      files.path,
    ];
    assert.deepEqual(Object.keys(documentOf(await call(args))), ['ok', 'files']);
  });

  const mistakes: readonly (readonly [args: readonly string[], code: string, message: RegExp])[] = [
    [['table', '--from', 'none.db', 'orders'], 'usage.not-found', /^Database .*none\.db does not exist\.$/],
    [['table', '--from', 'shop.db', 'orders'], 'usage.not-found', /^There is no table "orders" in /],
    [['table', '--from', 'env:NO_SUCH_PLACE', 'orders'], 'usage.bad-settings', /NO_SUCH_PLACE/],
    [['table', '--from', 'shop.db'], 'usage.bad-input', /table name/],
    [
      ['table', 'a', '--from', 'shop.db', 'b', '--name', 'c'],
      'usage.bad-input',
      /^The skill name is given twice\.$/,
    ],
    [
      ['table', '--from', 'shop.db', '!!!'],
      'usage.bad-input',
      /^"!!!" cannot be turned into a skill name\.$/,
    ],
    [['skill', '--from', 'shop.db', 'orders'], 'usage.bad-input', /cannot be created from a database\.$/],
    [['table', 'a', 'b'], 'usage.bad-input', /^"b" has no effect without --from\.$/],
    [['table', 'a', '--name', 'b'], 'usage.bad-input', /^--name has no effect without --from\.$/],
  ];
  for (const [args, code, message] of mistakes) {
    test(`refuses ${args.join(' ')}`, async () => {
      using files = workspace();
      shop(files);
      const error = errorIn(await call(['new', ...args, '--json', '--cwd', files.path]));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.deepEqual(
        [existsSync(files.at('none.db')), existsSync(files.at('.agents/skills'))],
        [false, false],
      );
    });
  }

  test('the password of an address is never shown', async (t) => {
    await using server = await startPostgres();
    if (server === undefined) return t.skip('PostgreSQL is not installed');
    const url = server.url.replace('postgres@', 'postgres:open-sesame@');
    const database = await openDatabase(url);
    await database.write((run) => run({ sql: 'create table goods (id bigint primary key)', parameters: [] }));
    await database.close();
    using files = workspace();
    const { code, out, err } = await call(['new', 'table', '--from', url, 'goods', '--cwd', files.path]);
    assert.equal(code, 0, err);
    assert.doesNotMatch(
      out + err + readFileSync(files.at('.agents/skills/goods/tskill.md'), 'utf8'),
      /sesame/,
    );
    assert.match(err, /contains a password\. .* variable GOODS_DATABASE\.$/m);
    assert.match(
      err,
      /^ {2}skilled config set skills\.entries\.goods\.override\.database env:GOODS_DATABASE --cwd \S+$/m,
    );
    const missing = await call(['new', 'table', '--from', url, 'other', '--cwd', files.path]);
    assert.doesNotMatch(missing.out + missing.err, /sesame/);
  });
});

test('a family of release 0.1 learns the place of the database by its old name', async () => {
  using files = workspace();
  shop(files);
  const family = defineFamily({
    id: 'old',
    label: 'Old',
    parse: () => ({ name: '', card: { description: '' }, definition: undefined, issues: [] }),
    execute: () => Promise.resolve({ status: 'done', text: '' }),
    templateFrom: (name: string, { place, what }: { readonly place: string; readonly what: string }) =>
      Promise.resolve({ [name]: `${what} in ${place}` }),
  } as never);
  const origin = { location: 'shop.db', what: 'order_items' };
  assert.deepEqual(await filesFrom(family, 'x', origin, { cwd: files.path }), {
    x: `order_items in ${files.at('shop.db')}`,
  });
});
