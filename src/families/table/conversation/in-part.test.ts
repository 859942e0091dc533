import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asked, tableStage, type TableStage } from '../../../../test/support/table-stage.ts';
import type { JsonObject } from '../../../core/json.ts';

async function filled(): Promise<TableStage> {
  const files = { 'more.csv': 'tag,name,area_id\nC-1,Clamp,1\nA-1,Again,1\nC-2,Cutter,9\n' };
  const on = tableStage({ files, permissions: { allow: ['Read'] } });
  const areas = [1, 2, 3].map((area_id) => ({ area_id, name: `Area ${area_id}` }));
  await on.fill(areas, 'areas');
  await on.fill([{ tag: 'A-1', name: 'Awl', area_id: 1 }]);
  return on;
}

describe('what the database would refuse', () => {
  test('is reported before the question, and can be corrected', async () => {
    await using on = await filled();
    assert.match(asked(await on.ask('add tag A-1, name "Axe"')), /cannot be written[^]*A-1/);
    assert.match(asked(await on.say('tag A-2')), /^Add this record to Tools\?/);
    assert.match(asked(await on.say('area_id 9')), /cannot be written[^]*refers to Areas[^]*no 9 in it/);
    await on.say('area_id 2');
    assert.match((await on.say('yes')).text, /^Added A-2/);
    const refused = await on.ask('delete area 1', { skill: 'areas' });
    assert.match(refused.text, /^Nothing was written to Areas:[^]*Tools refers to it/);
  });

  test('keeps all of a change from being made, unless it is to be made as far as possible', async () => {
    await using on = await filled();
    const whole = await on.ask('delete all areas', { skill: 'areas' });
    assert.match(whole.text, /^Nothing was written to Areas:/);
    assert.equal((await on.rows('areas')).length, 3);
    const partly = asked(await on.ask('delete all areas as far as possible', { skill: 'areas' }));
    assert.match(partly, /^Delete 2 records of Areas\?[^]*1 record with errors will be left out\./);
    assert.match(
      (await on.say('yes')).text,
      /^Deleted 2 records from Areas\.\n1 record with errors was left out\./,
    );
    assert.deepEqual(
      (await on.rows('areas')).map(({ area_id }) => area_id),
      [1],
    );
  });

  test('is left out of an import that leaves out faulty rows', async () => {
    await using on = await filled();
    const refused = await on.ask('import more.csv');
    assert.match(refused.text, /Line 3: [^]*A-1/);
    const shown = asked(await on.ask('import more.csv skipping faulty rows'));
    assert.match(shown, /^Import 1 record from more\.csv[^]*2 records with errors will be left out\./);
    assert.match((await on.say('yes')).text, /^Imported C-1 into Tools\./);
  });

  test('is reported if no part of a change could be made', async () => {
    await using on = await filled();
    const input: JsonObject = {
      operation: 'add',
      records: [{ tag: 'A-1', name: 'Axe' }],
      partial: true,
      confirm: false,
    };
    const { error, text } = await on.call(input);
    assert.equal(error?.code, 'usage.bad-input', text);
    assert.match(text, /^Nothing was written to Tools:[^]*A-1/);
    const some = {
      ...input,
      records: [
        { tag: 'A-1', name: 'Axe' },
        { tag: 'A-2', name: 'Axe' },
      ],
    };
    assert.match((await on.call(some)).text, /^Added A-2 to Tools\.\n1 record with errors was left out\./);
  });
});
