import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, workspace } from '../../../../test/support/command.ts';
import { startPostgres } from '../../../../test/support/postgres.ts';
import type { Tree } from '../../../../test/support/tree.ts';
import { openDatabase } from '../../../config/storage/open-database.ts';

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
    assert.ok(err.startsWith(`So that it finds its database:\n  ${set}\n`), err);
    assert.match(readFileSync(file, 'utf8'), /^# Order Items Skill\n/);

    assert.equal((await call(set.split(' ').slice(1))).code, 0);
    const listed = await call(['run', '/order-items', 'list', '--json', '--cwd', files.path]);
    const { value } = documentOf(listed) as { value?: { records?: unknown } };
    assert.deepEqual(value?.records, [{ id: 7, what: 'saw' }], listed.out);
  });

  for (const words of [
    ['goods', '--from', 'shop.db', 'Order Items'],
    ['--from', 'shop.db', 'Order Items', '--name', 'goods'],
  ]) {
    test(`the skill may be named otherwise: ${words.join(' ')}`, async () => {
      using files = workspace();
      shop(files);
      const document = documentOf(await call(['new', 'table', ...words, '--json', '--cwd', files.path]));
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
    const words = [
      'new',
      'table',
      '--from',
      '.skilled/tables.db',
      'Order Items',
      '--json',
      '--cwd',
      files.path,
    ];
    assert.deepEqual(Object.keys(documentOf(await call(words))), ['ok', 'files']);
  });

  const mistakes: readonly (readonly [words: readonly string[], code: string, message: RegExp])[] = [
    [['table', '--from', 'none.db', 'orders'], 'usage.not-found', /^There is no database .*none\.db\.$/],
    [['table', '--from', 'shop.db', 'orders'], 'usage.not-found', /^There is no table "orders" in /],
    [['table', '--from', 'env:NO_SUCH_PLACE', 'orders'], 'usage.bad-settings', /NO_SUCH_PLACE/],
    [['table', '--from', 'shop.db'], 'usage.bad-input', /^The table in the database is not named\.$/],
    [
      ['table', 'a', '--from', 'shop.db', 'b', '--name', 'c'],
      'usage.bad-input',
      /^The skill is named twice\.$/,
    ],
    [['table', '--from', 'shop.db', '!!!'], 'usage.bad-input', /^"!!!" gives no name for a skill\.$/],
    [
      ['skill', '--from', 'shop.db', 'orders'],
      'usage.bad-input',
      /are not made from what is in a database\.$/,
    ],
    [['table', 'a', 'b'], 'usage.bad-input', /^"b" says nothing without --from\.$/],
    [['table', 'a', '--name', 'b'], 'usage.bad-input', /^--name says nothing without --from\.$/],
  ];
  for (const [words, code, message] of mistakes) {
    test(`refuses ${words.join(' ')}`, async () => {
      using files = workspace();
      shop(files);
      const error = errorIn(await call(['new', ...words, '--json', '--cwd', files.path]));
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
    const place = server.url.replace('postgres@', 'postgres:open-sesame@');
    const database = await openDatabase(place);
    await database.write((run) => run({ sql: 'create table goods (id bigint primary key)', parameters: [] }));
    await database.close();
    using files = workspace();
    const { code, out, err } = await call(['new', 'table', '--from', place, 'goods', '--cwd', files.path]);
    assert.equal(code, 0, err);
    assert.doesNotMatch(
      out + err + readFileSync(files.at('.agents/skills/goods/tskill.md'), 'utf8'),
      /sesame/,
    );
    assert.match(err, /^The address holds a password: put it into the variable GOODS_DATABASE\.$/m);
    assert.match(
      err,
      /^ {2}skilled config set skills\.entries\.goods\.override\.database env:GOODS_DATABASE --cwd \S+$/m,
    );
    const missing = await call(['new', 'table', '--from', place, 'other', '--cwd', files.path]);
    assert.doesNotMatch(missing.out + missing.err, /sesame/);
  });
});
