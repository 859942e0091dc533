import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asked, tableStage, toolsText } from '../../../../test/support/table-stage.ts';
import type { JsonObject } from '../../../core/json.ts';

const drill = { tag: 'D-1', name: 'Drill', price: 10, quantity: 2 };
const saw = { tag: 'S-1', name: 'Saw', status: 'faulty' };

describe('a conversation', () => {
  const bits = Array.from({ length: 12 }, (_value, index) => ({
    tag: `B-${10 + index}`,
    name: 'Bit',
    price: index,
  }));

  test('lets somebody choose by number, key, page or all', async () => {
    const byNumber = ['2', 'B-11'] as const;
    const choices: readonly (readonly [readonly string[], RegExp])[] = [
      [[byNumber[0]], /Delete this record of Tools\?\n[^]*tag: +B-11/],
      [[byNumber[1]], /Delete this record of Tools\?\n[^]*tag: +B-11/],
      [['next', '1'], /Delete this record of Tools\?\n[^]*tag: +B-20/],
      [['more', 'back', '#3'], /Delete this record of Tools\?\n[^]*tag: +B-12/],
      [['all'], /Delete 12 records of Tools\?/],
    ];
    for (const [replies, expected] of choices) {
      await using on = tableStage();
      await on.fill(bits);
      const remove = { operation: 'delete', where: { field: 'name', is: 'equals', value: 'bit' } };
      const first = await on.call(remove);
      assert.match(asked(first), /^12 records in Tools match \(1 to 10 of 12\)/);
      assert.equal(first.question?.options?.[1], 'B-11 · Bit · ok · 1');
      let last = first;
      for (const reply of replies) last = await on.say(reply);
      assert.match(asked(last), expected, replies.join());
    }
  });

  test('asks what an unclear word means, and continues with the answer', async () => {
    const text = toolsText
      .replace('How many there are.\n', 'How many there are.\n\n#### Aliases\n\nsize\n')
      .replace('What it cost.\n', 'What it cost.\n\n#### Aliases\n\nsize\n');
    await using on = tableStage({ tables: { tools: text } });
    await on.fill([drill, saw]);
    const first = await on.ask('list tools where size = 10');
    assert.match(asked(first), /Which field do you mean by "size"\?/);
    assert.deepEqual(first.question?.options, ['price', 'quantity', 'cancel']);
    assert.match(asked(await on.say('both')), /Which field/);
    assert.match((await on.say('1')).text, /D-1[^]*1 record of Tools/);
    asked(await on.ask('list tools where size = 10'));
    assert.deepEqual((await on.say('never mind')).value, { outcome: 'declined' });
  });

  test('is cancelled by any word for it, and says that nothing was changed', async () => {
    await using on = tableStage();
    await on.fill([drill]);
    for (const reply of ['cancel', 'Stop!', 'never mind', 'no', 'No.', 'forget it']) {
      asked(await on.ask('delete D-1'));
      const { status, value, text } = await on.say(reply);
      assert.deepEqual([status, value], ['done', { outcome: 'declined' }], reply);
      assert.match(text, /Nothing was changed/);
    }
    assert.equal((await on.rows()).length, 1);
  });

  test('is confirmed by any word for it, without a model', async () => {
    await using on = tableStage({ script: [] });
    for (const [index, reply] of [
      'yes',
      'Y',
      'ok',
      'Sure!',
      'do it',
      'confirm',
      'go ahead',
      'apply',
      'yes, please',
    ].entries()) {
      asked(await on.ask(`add tools tag W-${index}, name Wrench`));
      assert.equal((await on.say(reply)).status, 'done', reply);
    }
    assert.equal((await on.rows()).length, 9);
    assert.equal(on.model.requests.length, 0);
  });

  test('asks again after an invalid answer, and gives up with nothing changed', async () => {
    await using on = tableStage();
    await on.fill([drill]);
    const { runId } = await on.ask('delete D-1');
    for (let time = 1; time < 5; time++) {
      await on.agent.runs.answer(runId, 'perhaps tomorrow');
      assert.match(asked(await on.agent.runs.resume(runId).result), /does not answer the question/);
    }
    await on.agent.runs.answer(runId, 'perhaps tomorrow');
    const { status, text } = await on.agent.runs.resume(runId).result;
    assert.deepEqual([status, /Nothing was changed/.test(text)], ['failed', true]);
    assert.equal((await on.rows()).length, 1);
  });

  test('takes a bare value where one is missing, and reports what is wrong with it', async () => {
    await using on = tableStage();
    assert.match(asked(await on.ask('add tools name "Big saw"')), /needs tag:/);
    assert.match(asked(await on.say('lowercase')), /tag/);
    assert.match(asked(await on.say('S-77')), /tag: +S-77[^]*name: +Big saw/);
  });

  test('is not confirmed by the calling skill', async () => {
    const input = { operation: 'add', records: [drill], confirm: false };
    const caller = {
      run: async (_input: unknown, scope: { call(name: string, input: JsonObject): Promise<never> }) =>
        scope.call('tools', input),
    };
    await using on = tableStage({ skills: { caller: caller as never } });
    assert.match(asked(await on.agent.run({ skill: 'caller', session: 'a' }).result), /^Add this record/);
    assert.deepEqual(await on.rows(), []);
    await on.say('yes');
    assert.equal((await on.rows()).length, 1);
  });

  test('is not needed where settings say so; what is missing is asked for all the same', async () => {
    await using on = tableStage({
      settings: { skills: { entries: { tools: { override: { confirm: false } } } } } as never,
    });
    assert.match(asked(await on.ask('add tools tag D-5')), /needs name:/);
    assert.match((await on.say('Drill')).text, /^Added D-5/);
    asked(await on.ask('add tools tag D-6'));
    assert.match((await on.say('"no"')).text, /^Added D-6[^]*name: +no\n/, 'in quotes it is a value');
  });

  test('of two users at once never mixes', async () => {
    await using on = tableStage();
    const people = Array.from({ length: 8 }, (_value, index) => ({
      session: `s${index}`,
      user: { id: `u${index}` },
    }));
    await Promise.all(
      people.map((who, index) => on.ask(`add tools tag U-${index}, name "Tool of ${who.user.id}"`, who)),
    );
    await Promise.all(people.map((who, index) => on.say(index % 2 === 0 ? `price ${index}` : 'no', who)));
    await Promise.all(people.filter((_who, index) => index % 2 === 0).map((who) => on.say('yes', who)));
    assert.deepEqual(
      (await on.rows()).map(({ tag, name, price }) => [tag, name, price]),
      [0, 2, 4, 6].map((index) => [`U-${index}`, `Tool of u${index}`, index]),
    );
  });

  test('continues in another process', async () => {
    await using on = tableStage();
    const path = on.files.at('tables.db');
    const store = on.files.at('runs.db');
    const options = { database: path, store, startDir: on.files.path, workspace: on.files.path };
    const first = tableStage(options);
    asked(await first.ask('add tools tag D-1'));
    await first.agent.shutdown();
    const second = tableStage(options);
    assert.match(asked(await second.say('Drill')), /name: +Drill/);
    await second.agent.shutdown();
    await using third = tableStage(options);
    assert.match((await third.say('yes')).text, /^Added D-1/);
    assert.equal((await third.rows()).length, 1);
  });
});
