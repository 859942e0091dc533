import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ofType, yesPolicy } from '../../../test/support/kernel.ts';
import { areasText, asked, tableStage, toolsText } from '../../../test/support/table-stage.ts';
import { tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import type { JsonObject } from '../../core/json.ts';
import { openSqliteDatabase } from '../../stores/sqlite/database.ts';

function overriding(override: JsonObject): Pick<AgentOptions, 'settings'> {
  return { settings: { skills: { entries: { areas: { override } } } } };
}

describe('a table', () => {
  test('lives in a database of its own where settings name one', async () => {
    await using on = tableStage({ tables: { areas: areasText }, ...overriding({ database: 'own.db' }) });
    await on.fill([{ name: 'Hall' }]);
    assert.ok(existsSync(on.files.at('own.db')));
    assert.equal((await on.rows()).length, 1);
  });

  test('whose file no longer fits its records cannot be used until somebody builds it', async () => {
    using files = tree();
    const database = files.at('tables.db');
    await using before = tableStage({ tables: { areas: areasText }, database });
    await before.fill([{ name: 'Hall' }]);
    await before.agent.shutdown();
    const changed = areasText.replace(
      'What people call it.\n',
      'What people call it.\n\n#### Type: integer\n',
    );
    await using after = tableStage({ tables: { areas: changed }, database });
    const { error, text } = await after.ask('list areas');
    assert.equal(error?.code, 'skill.unavailable');
    assert.match(text, /name/);
    assert.match(error.hint ?? '', /"Hall".* `skilled build areas`/);
  });

  test('says what went out of sight where a field has another name, and how it comes back', async () => {
    using files = tree();
    const database = files.at('tables.db');
    const warnings = async (text: string): Promise<readonly (readonly [string, readonly string[]])[]> => {
      await using on = tableStage({ tables: { areas: text }, database });
      const said: (readonly [string, readonly string[]])[] = [];
      for (const words of ['list areas', 'count areas']) {
        const { runId, text: answer } = await on.ask(words);
        const notes = ofType(await on.agent.runs.events(runId), 'note.added');
        said.push([answer, notes.map(({ message }) => message)]);
      }
      return said;
    };
    await using before = tableStage({ tables: { areas: areasText }, database });
    await before.fill([{ name: 'Hall' }]);
    await before.agent.shutdown();
    const [first, second] = await warnings(areasText.replace('### name', '### title'));
    assert.match(first?.[1][0] ?? '', /column "name" .* holds 1 value\. .*#### Column/);
    assert.deepEqual(second?.[1], []);
    const back = areasText.replace(
      '### name\n\nWhat people call it.\n',
      '### title\n\nWhat people call it.\n\n#### Column: name\n',
    );
    const [listed] = await warnings(back);
    assert.match(listed?.[0] ?? '', /title\n.*\n.*Hall/);
    assert.deepEqual(listed?.[1], []);
  });

  test('says of every change which of its prose rules nothing holds to', async () => {
    const text = areasText.replace('#### Unique\n', '#### Validator\n\nSounds like a place.\n');
    await using on = tableStage({ tables: { areas: text }, policy: yesPolicy });
    const added = await on.call({ operation: 'add', records: [{ name: 'Hall' }], confirm: false });
    const [sentence = ''] = (added.value as { readonly notEnforced: readonly string[] }).notEnforced;
    assert.match(sentence, /^The Validator of name is not enforced \(.*tskill\.md:\d+\)/);
    const notes = ofType(await on.agent.runs.events(added.runId), 'note.added');
    assert.equal(notes.filter(({ message }) => message.includes(sentence)).length, 1);
    assert.match(asked(await on.ask('delete 1')), /^Delete this record/);
    const { runId, value } = await on.say('yes');
    assert.deepEqual((value as JsonObject)['notEnforced'], [sentence]);
    const later = ofType(await on.agent.runs.events(runId), 'note.added');
    assert.equal(later.filter(({ message }) => message.includes(sentence)).length, 1, 'once per call');
    const read = await on.ask('list areas');
    assert.equal((read.value as JsonObject)['notEnforced'], undefined);
  });

  test('leaves alone what looks like a secret in its records, although nothing of it is kept with the run', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2)}`.slice(0, 40);
    using files = tree();
    const path = files.at('tables.db');
    await using first = tableStage({ tables: { tools: toolsText }, database: path });
    await first.fill([{ tag: 'K-1', name: 'Key', price: 1 }]);
    const database = await openSqliteDatabase(path);
    const rename = { sql: 'update tools set name = ?', parameters: [secret] };
    await database.write(async (run) => run(rename));
    const { runId, ...waiting } = await first.ask('set price to 2 for K-1');
    assert.match(asked({ runId, ...waiting }), /price: 1 → 2/);
    const { status, text } = await first.say('yes');
    assert.equal(status, 'done', text);
    const rows = await database.read({ sql: 'select name, price from tools', parameters: [] });
    assert.deepEqual(
      rows.map((row) => [row['name'], row['price']]),
      [[secret, 2]],
    );
    assert.ok(!JSON.stringify(await first.agent.runs.events(runId)).includes(secret));
    await database.close();
  });
});
