import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/core/json.ts';
import { asked, areasText, tableStage, toolsText } from '../support/table-stage.ts';

// Defects of another runtime for tables. Each test shows that this project does not have one of them.

const drill = { tag: 'D-1', name: 'Drill', price: 10, quantity: 2, bought_on: '2026-03-05' };
const saw = { tag: 'S-1', name: 'Saw', price: 0, quantity: 1, bought_on: '2025-11-30' };
const axe = { tag: 'A-1', name: 'Axe', status: 'faulty' };

const one = (tag: string) => ({ field: 'tag', is: 'equals', value: tag });

async function tagsOf(on: ReturnType<typeof tableStage>, words: string): Promise<readonly unknown[]> {
  const { value, text, error } = await on.ask(words);
  const records = (value as { readonly records?: readonly JsonObject[] } | undefined)?.records;
  assert.ok(records, `${words}: ${text} ${error?.hint ?? ''}`);
  return records.map(({ tag }) => tag);
}

describe('files', () => {
  test('one malformed descriptor kills the process: the others work, and it is reported', async () => {
    await using on = tableStage({ tables: { tools: toolsText, broken: '# Broken Skill\n\n## Fields\n' } });
    await on.fill([drill]);
    assert.equal((await on.rows()).length, 1);
    const { error } = await on.ask('list', { skill: 'broken' });
    assert.equal(error?.code, 'skill.not-found');
    const found = on.agent.skills.list().find(({ dir }) => dir.endsWith('broken'));
    assert.ok(found?.issues.some(({ code }) => code === 'table.no-fields'));
  });

  test('empty headings are lost: a bare Required and a bare Primary Key mean what they say', async () => {
    await using on = tableStage({ tables: { areas: areasText } });
    const nameless = await on.call({ operation: 'add', records: [{}], confirm: false });
    assert.match(nameless.text, /name/);
    await on.fill([{ name: 'Hall' }, { name: 'Yard' }]);
    assert.deepEqual(await on.rows(), [
      { area_id: 1, name: 'Hall' },
      { area_id: 2, name: 'Yard' },
    ]);
  });

  test('types are guessed from prose: a description with "update" and "point" is text', async () => {
    const text = areasText.replace(
      'What people call it.',
      'The maintenance point to update, with a link and a date.',
    );
    await using on = tableStage({ tables: { areas: text } });
    await on.fill([{ name: 'not a number, nor a day' }]);
    assert.equal((await on.rows())[0]?.['name'], 'not a number, nor a day');
  });
});

describe('declared rules', () => {
  test('need generated code: type, length, values, default, unique and key hold without a model', async () => {
    await using on = tableStage();
    await on.fill([{ area_id: 1, name: 'Hall' }], 'areas');
    await on.fill([drill]);
    const wrong: readonly (readonly [JsonObject, RegExp, string?])[] = [
      [{ tag: 'D-2', name: 'x', price: 'cheap' }, /price/],
      [{ tag: 'D-2', name: 'x', price: -1 }, /price/],
      [{ tag: 'D-2', name: 'x', status: 'lost' }, /status/],
      [{ tag: 'dee', name: 'x' }, /tag/],
      [{ tag: 'D-12345678901', name: 'x' }, /tag/],
      [{ tag: 'D-1', name: 'x' }, /D-1/],
      [{ name: 'x' }, /tag/],
      [{ tag: 'D-2' }, /name/],
      [{ tag: 'D-2', name: 'x', area_id: 9 }, /area_id|areas/i],
      [{ name: 'Hall' }, /Hall/, 'areas'],
    ];
    for (const [record, expected, skill = 'tools'] of wrong) {
      const { error, text } = await on.call(
        { operation: 'add', records: [record], confirm: false },
        { skill },
      );
      assert.equal(error?.code, 'usage.bad-input', JSON.stringify(record));
      assert.match(text, expected);
    }
    assert.equal((await on.rows()).length, 1);
    assert.equal((await on.rows('areas')).length, 1);
    assert.equal((await on.rows())[0]?.['status'], 'ok');
  });
});

describe('questions about records', () => {
  test('"from" counts as a comparison, so "list … from …" is refused', async () => {
    await using on = tableStage({ script: [] });
    await on.fill([{ area_id: 1, name: 'Hall' }], 'areas');
    await on.fill([{ ...drill, area_id: 1 }, saw]);
    assert.deepEqual(await tagsOf(on, 'list tools from area_id 1'), ['D-1']);
    assert.equal(on.model.requests.length, 0);
  });

  test('ranges of days are cut to years and match nothing', async () => {
    await using on = tableStage();
    await on.fill([drill, saw, axe]);
    assert.deepEqual(await tagsOf(on, 'list tools where bought_on between 2026-03-01 and 2026-03-31'), [
      'D-1',
    ]);
    assert.deepEqual(await tagsOf(on, 'list tools where bought_on is 2025-11-30'), ['S-1']);
    assert.deepEqual(await tagsOf(on, 'list tools where bought_on before 2026-01-01'), ['S-1']);
  });

  test('"equals 0" is dropped and everything is returned', async () => {
    await using on = tableStage();
    await on.fill([drill, saw, axe]);
    assert.deepEqual(await tagsOf(on, 'list tools where price = 0'), ['S-1']);
    assert.deepEqual(await tagsOf(on, 'list tools where price is empty'), ['A-1']);
    assert.deepEqual(await tagsOf(on, 'list tools where price is not 0'), ['A-1', 'D-1']);
  });
});

describe('writing', () => {
  test('derived values are not written on update', async () => {
    await using on = tableStage();
    await on.fill([drill]);
    assert.match(asked(await on.ask('set quantity to 5 for D-1')), /worth: 20 → 50/);
    await on.say('yes');
    assert.deepEqual(await tagsOf(on, 'list tools where worth = 50'), ['D-1']);
  });

  test('keys are made by a scan of all rows, and race', async () => {
    await using on = tableStage({
      tables: { areas: areasText },
      limits: { runSeconds: 60, callSeconds: 60 },
    });
    const names = Array.from({ length: 20 }, (_value, index) => `Area ${index}`);
    await Promise.all(
      names.map((name) =>
        on.call({ operation: 'add', records: [{ name }], confirm: false }, { session: name }),
      ),
    );
    const rows = await on.rows();
    assert.deepEqual(
      rows.map(({ area_id }) => area_id),
      names.map((_name, index) => index + 1),
    );
    assert.deepEqual(rows.map(({ name }) => name).sort(), names.toSorted());
  });

  test('a confirmed update overwrites what is newer', async () => {
    await using on = tableStage();
    await on.fill([drill]);
    asked(await on.ask('set name to "Old idea" for D-1'));
    await on.call(
      { operation: 'update', where: one('D-1'), set: { name: 'Newer' }, confirm: false },
      { session: 'b' },
    );
    assert.match(asked(await on.say('yes')), /name: Newer → Old idea/);
    assert.equal((await on.say('no')).status, 'done');
    assert.equal((await on.rows())[0]?.['name'], 'Newer');
  });

  test('a bulk change stops in the middle and leaves half of it', async () => {
    await using on = tableStage();
    await on.fill(
      [
        { area_id: 1, name: 'Hall' },
        { area_id: 2, name: 'Yard' },
        { area_id: 3, name: 'Roof' },
      ],
      'areas',
    );
    await on.fill([{ ...drill, area_id: 2 }]);
    const all = await on.call({ operation: 'delete', many: true, confirm: false }, { skill: 'areas' });
    assert.equal(all.error?.code, 'usage.bad-input');
    assert.equal((await on.rows('areas')).length, 3);
    const some = await on.call({ operation: 'add', records: [saw, { ...axe, price: -1 }], confirm: false });
    assert.equal(some.error?.code, 'usage.bad-input');
    assert.equal((await on.rows()).length, 1);
  });
});

describe('conversation', () => {
  test('a pending change traps every later request', async () => {
    await using on = tableStage();
    await on.fill([drill, saw]);
    const { runId } = await on.ask('delete D-1');
    const between = await on.say('count tools');
    assert.match(between.text, /^2 records of Tools\./, between.error?.message ?? '');
    assert.notEqual(between.runId, runId);
    assert.match(between.stillOpen?.text ?? '', /^Delete this record/);
    const other = await on.ask('add areas name Hall', { skill: 'areas' });
    assert.match(asked(other), /^Add this record to Areas/);
    assert.match((await on.say('yes')).text, /^Added record 1 to Areas/);
    assert.match((await on.say('yes')).text, /^Deleted D-1/);
    assert.deepEqual(
      (await on.rows()).map(({ tag }) => tag),
      ['S-1'],
    );
  });

  test('"yes" costs a model call, which may open the change again', async () => {
    await using on = tableStage({ script: [] });
    await on.fill([drill]);
    asked(await on.ask('set price to 11 for D-1'));
    assert.match((await on.say('yes')).text, /^Changed D-1/);
    assert.equal(on.model.requests.length, 0);
  });

  test('success is reported although no one can confirm', async () => {
    await using on = tableStage();
    await on.fill([drill]);
    const { status, ok } = await on.ask('delete D-1', { session: 'nobody' });
    assert.deepEqual([status, ok], ['waiting', false]);
    assert.equal((await on.rows()).length, 1);
  });

  test('a question waits for ever', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    await using on = tableStage();
    await on.fill([drill]);
    const { runId } = await on.ask('delete D-1');
    t.mock.timers.tick(16 * 60_000);
    const late = await on.say('yes');
    assert.equal(late.ok, false);
    const { status, error, text } = await on.agent.runs.resume(runId).result;
    assert.deepEqual([status, error?.code], ['failed', 'policy.expired']);
    assert.match(text, /nothing was changed/);
    assert.equal((await on.rows()).length, 1);
  });

  test('users at once get into the draft of each other', async () => {
    await using on = tableStage();
    const ann = { session: 'ann', user: { id: 'ann' } };
    const bob = { session: 'bob', user: { id: 'bob' } };
    await Promise.all([
      on.ask('add tools tag A-7, name "Of Ann"', ann),
      on.ask('add tools tag B-7, name "Of Bob"', bob),
    ]);
    await Promise.all([on.say('price 1', ann), on.say('price 2', bob)]);
    await Promise.all([on.say('yes', ann), on.say('yes', bob)]);
    assert.deepEqual(
      (await on.rows()).map(({ name, price }) => [name, price]),
      [
        ['Of Ann', 1],
        ['Of Bob', 2],
      ],
    );
  });
});

describe('other checks', () => {
  test('words of one business are built in: a table called Equipment is like any other', async () => {
    const text = toolsText.replace('# Tools Skill', '# Equipment Skill').replaceAll('tools.', 'equipment.');
    await using on = tableStage({ tables: { equipment: text, areas: areasText } });
    await on.fill([drill]);
    const again = await on.call({ operation: 'add', records: [drill], confirm: false });
    assert.equal(again.error?.code, 'usage.bad-input');
    assert.equal((await on.rows())[0]?.['name'], 'Drill');
  });

  test('references and guards that cannot be looked up count as kept', async () => {
    await using on = tableStage({ tables: { tools: toolsText } });
    const { error } = await on.call({
      operation: 'add',
      records: [{ ...drill, area_id: 1 }],
      confirm: false,
    });
    assert.equal(error?.code, 'usage.bad-input', 'the table that it refers to is not there');
    await on.fill([drill]);
    const invalidGuard = areasText.replace('block_if_referenced', 'block_when_it_rains');
    await using other = tableStage({ tables: { areas: invalidGuard } });
    await other.fill([{ name: 'Hall' }]);
    const refused = await other.call({ operation: 'delete', many: true, confirm: false });
    assert.equal(refused.ok, false, 'a guard that is not known lets nothing go');
    assert.equal((await other.rows()).length, 1);
  });

  test('a model that calls a table confirms for the person', async () => {
    const script = [
      { calls: [{ name: 'tools', input: { operation: 'delete', many: true, confirm: false } }] },
      'Done.',
    ];
    const files = {
      '.agents/skills/boss/oskill.md':
        '# boss\n\n## Description\n\nRules.\n\n## Session\n\nloop\n\n## Allowed Skills\n\n- tools\n',
    };
    await using on = tableStage({ script, files });
    await on.fill([drill, saw]);
    const { status, question, text } = await on.agent.run({
      skill: 'boss',
      prompt: 'Clean up.',
      session: 'a',
    }).result;
    assert.ok(status === 'waiting' && /^Delete 2 records/.test(question?.text ?? ''), text);
    assert.equal((await on.rows()).length, 2);
  });
});
