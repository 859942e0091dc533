import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableStage } from '../../../../test/support/table-stage.ts';

test('a key that is a number does not read as how many records there were', async () => {
  await using on = tableStage();
  await on.ask('add areas name Hall', { skill: 'areas' });
  assert.match((await on.say('yes')).text, /^Added record 1 to Areas\.\n/);
  await on.ask('delete 1', { skill: 'areas' });
  assert.match((await on.say('yes')).text, /^Deleted record 1 from Areas\.\n/);
});
