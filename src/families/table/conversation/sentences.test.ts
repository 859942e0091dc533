import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asked, tableStage } from '../../../../test/support/table-stage.ts';

const drills = [
  { tag: 'D-1', name: 'Drill', status: 'faulty', price: 10 },
  { tag: 'D-2', name: 'Drill', price: 20 },
  { tag: 'S-1', name: 'Saw', price: 30 },
  { tag: 'S-2', name: 'Saw', price: 40 },
];

describe('plain sentences without a model', () => {
  test('show all records, with a page', async () => {
    await using on = tableStage();
    await on.fill(Array.from({ length: 25 }, (_, index) => ({ tag: `D-${index + 10}`, name: 'Drill' })));
    for (const words of ['show all', 'list all'])
      assert.match((await on.ask(words)).text, /Records 1 to 20 of 25 in Tools\. Say "next" for more\./);
  });

  test('show the last records in the order that was asked for', async () => {
    await using on = tableStage();
    await on.fill(drills);
    const tags = async (words: string): Promise<readonly unknown[]> => {
      const { value } = await on.ask(words);
      return (value as { readonly records: readonly { readonly tag: string }[] }).records.map(
        ({ tag }) => tag,
      );
    };
    assert.deepEqual(await tags('last 2'), ['S-1', 'S-2']);
    assert.deepEqual(await tags('last 3 by price'), ['D-2', 'S-1', 'S-2']);
    assert.deepEqual(await tags('last 2 sorted by price descending'), ['D-2', 'D-1']);
    assert.deepEqual(await tags('last 1'), ['S-2']);
    assert.match((await on.ask('last 3')).text, /Records 2 to 4 of 4 in Tools\. Say "next" for more\./);
    assert.deepEqual(await tags('next'), ['D-1']);
    const typed = await on.call({ operation: 'list', sort: ['price'], limit: 2, last: true });
    assert.deepEqual(
      (typed.value as { readonly records: readonly { readonly tag: string }[] }).records.map(
        ({ tag }) => tag,
      ),
      ['S-1', 'S-2'],
    );
  });

  test('ask what a word means, and continue with the option, a word of it or its number', async () => {
    await using on = tableStage();
    await on.fill(drills);
    for (const reply of ['status is "faulty"', 'faulty', '2']) {
      const first = await on.ask('which tools are broken?');
      assert.match(asked(first), /What do you mean by "broken"\?/);
      assert.equal(first.question?.options?.[1], 'status is "faulty"');
      assert.match((await on.say(reply)).text, /D-1[^]*1 record of Tools/, reply);
    }
    asked(await on.ask('which tools are broken?'));
    assert.deepEqual((await on.say('cancel')).value, { outcome: 'declined' });
  });

  test('ask what to change in a record, and take the values', async () => {
    await using on = tableStage();
    await on.fill(drills);
    assert.match(asked(await on.ask('update D-1')), /What do you want to change in D-1\?/);
    assert.match(asked(await on.say('status to ok')), /status: faulty → ok/);
    await on.say('yes');
    assert.equal((await on.rows())[0]?.['status'], 'ok');
    asked(await on.ask('mark D-1'));
    assert.match(asked(await on.say('faulty')), /status: ok → faulty/);
  });

  test('add a record that a sentence describes, after a preview', async () => {
    await using on = tableStage();
    assert.match(
      asked(await on.ask('add a faulty drill called D-9, price 5')),
      /tag: +D-9\nname: +drill\nstatus: +faulty\nprice: +5/,
    );
    await on.say('yes');
    assert.equal((await on.rows()).length, 1);
  });
});
