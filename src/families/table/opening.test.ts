import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ofType, yesPolicy } from '../../../test/support/kernel.ts';
import { areasText, asked, tableStage, toolsText } from '../../../test/support/table-stage.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AgentOptions } from '../../agent/options.ts';

function overriding(override: JsonObject): AgentOptions {
  return { settings: { skills: { entries: { areas: { override } } } } } as AgentOptions;
}

describe('a table', () => {
  test('lives in a database of its own where settings name one', async () => {
    await using on = tableStage({ tables: { areas: areasText }, ...overriding({ database: 'own.db' }) });
    await on.fill([{ name: 'Hall' }]);
    assert.ok(existsSync(on.files.at('own.db')));
    assert.equal((await on.rows()).length, 1);
  });

  test('whose file no longer fits its records cannot be used until somebody builds it', async () => {
    await using first = tableStage({ tables: { areas: areasText } });
    const database = first.files.at('tables.db');
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
    assert.match(error.hint ?? '', /skilled build areas/);
  });

  test('says of every change which of its rules in words nothing holds to', async () => {
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

  test('keeps values that look like secrets as they are, also behind a question', async () => {
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2)}`.slice(0, 40);
    await using on = tableStage({ tables: { tools: toolsText } });
    await on.fill([{ tag: 'K-1', name: `Key ${token}`, price: 1 }]);
    assert.match(asked(await on.ask('set price to 2 for K-1')), /price: 1 → 2/);
    const { status, text } = await on.say('yes');
    assert.equal(status, 'done', text);
    const counted = await on.call({
      operation: 'count',
      where: { field: 'name', is: 'ends-with', value: 'redacted]' },
    });
    assert.deepEqual(counted.value, { operation: 'count', count: 0 });
  });
});
