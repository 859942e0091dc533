import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { oskillText } from '../../../test/support/orchestrator-stage.ts';
import { asked, tableStage } from '../../../test/support/table-stage.ts';
import type { JsonObject } from '../../core/json.ts';

const records = [
  { tag: 'A-1', name: 'Axe', price: 5 },
  { tag: 'B-1', name: 'Bit', status: 'faulty' },
];

describe('a table in other skills', () => {
  test('is called by an orchestrator with words and with members, and a person confirms what it changes', async () => {
    const script = [
      { calls: [{ name: 'tools', input: { prompt: 'count tools' } }] },
      {
        calls: [
          {
            name: 'tools',
            input: {
              operation: 'update',
              where: { field: 'tag', is: 'equals', value: 'A-1' },
              set: { price: 7 },
            },
          },
        ],
      },
      'All is well.',
    ];
    const files = {
      '.agents/skills/boss/oskill.md': oskillText('boss', { 'Allowed Skills': '- tools', Session: 'loop' }),
    };
    await using on = tableStage({ script, files });
    await on.fill(records);
    const first = await on.agent.run({ skill: 'boss', prompt: 'Look after the tools.', session: 'a' }).result;
    assert.match(asked(first), /price: 5 → 7/);
    assert.equal((await on.say('yes')).text, 'All is well.');
    assert.equal((await on.rows())[0]?.['price'], 7);
    const shown = on.model.requests.flatMap(({ messages }) =>
      messages.filter(({ role }) => role === 'tool').map(({ text }) => text),
    );
    assert.match(shown[0] ?? '', /2 records of Tools\./);
    const [tool] = (on.model.requests[0]?.tools ?? []).filter(({ name }) => name === 'tools');
    assert.match(JSON.stringify(tool?.input), /"prompt".*"operation"/);
  });

  test('is a command of a plan, by words and by named arguments, and a change that is cancelled stops it', async () => {
    const plan = [
      '@count tools "count tools"',
      '@one tools operation=list limit=1',
      '@gone tools "delete B-1"',
      '@last final_answer $count.count $one.total $gone.deleted',
    ].join('\n');
    const files = {
      '.agents/skills/boss/oskill.md': oskillText('boss', { 'Allowed Skills': '- tools' }),
    };
    await using on = tableStage({ script: [plan, plan, plan], files });
    await on.fill(records);
    const first = await on.agent.run({ skill: 'boss', prompt: 'Go.', session: 'a' }).result;
    assert.match(asked(first), /^Delete this record of Tools\?/);
    const { variables, text, status } = await on.say('yes');
    assert.equal(status, 'done', text);
    assert.match(JSON.stringify(variables?.['count'] ?? ''), /2/);
    assert.deepEqual(
      (await on.rows()).map(({ tag }) => tag),
      ['A-1'],
    );
  });
});

describe('files', () => {
  test('are imported after a look at their first rows, or not at all', async () => {
    const files = {
      'good.csv': 'tag,name,price\nC-1,Clamp,3\nC-2,Cutter,4\nC-3,Chisel,\nC-4,Crowbar,9\n',
      'bad.csv': 'tag,name,price\nE-1,Edge,1\nnope,Saw,1\nE-2,,2\nE-3,Eye,-4\n',
    };
    await using on = tableStage({ files, permissions: { allow: ['Read', 'Write'] } });
    const shown = asked(await on.ask('import good.csv'));
    assert.match(shown, /^Import 4 records from good\.csv into Tools\?\n[^]*Chisel[^]*… and 1 more\./);
    assert.doesNotMatch(shown, /Crowbar/);
    assert.match((await on.say('yes')).text, /^Imported 4 records into Tools\./);
    const refused = await on.ask('import bad.csv');
    assert.equal(refused.error?.code, 'usage.bad-input');
    for (const line of [/^Nothing was written to Tools:/, /Line 3: /, /Line 4: /, /Line 5: /])
      assert.match(refused.text, line);
    assert.equal((await on.rows()).length, 4);
    const partial = asked(await on.call({ operation: 'import', file: 'bad.csv', partial: true }));
    assert.match(
      partial,
      /^Import 1 record from bad\.csv into Tools\?[^]*3 records with errors will be left out\./,
    );
    const { text, value } = await on.say('yes');
    assert.match(text, /^Imported E-1 into Tools\.\n3 records with errors were left out\./);
    assert.equal((value as JsonObject)['added'], 1);
    asked(await on.ask('undo'));
    await on.say('yes');
    assert.equal((await on.rows()).length, 4);
  });

  test('are exported with what was asked for', async () => {
    await using on = tableStage({ permissions: { allow: ['Read', 'Write'] } });
    await on.fill(records);
    const { text, value, error } = await on.ask('export tools where status is faulty to out.csv');
    assert.match(text, /^Wrote 1 record of Tools to out\.csv\.$/, JSON.stringify(error));
    assert.equal((value as JsonObject)['rows'], 1);
    assert.match(readFileSync(on.files.at('out.csv'), 'utf8'), /^tag,name,[^]*B-1,Bit,faulty/);
  });
});
