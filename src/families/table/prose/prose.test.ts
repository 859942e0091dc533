import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../../test/support/bubblewrap.ts';
import { fileStage, type FileStage, type Played } from '../../../../test/support/file-stage.ts';
import { tableText } from '../../../../test/support/written-table.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { Script } from '../../../models/scripted.ts';

const fields = {
  tag: 'Primary Key: given',
  name: 'Validator: No shouting.; Presenter: In brackets.',
  size: 'Type: integer',
};
const shouting = `export const validate_name = (cases: readonly { value: unknown }[]) =>
  cases.map(({ value }) => (/^[A-Z]+$/.test(String(value)) ? 'Do not shout.' : null));`;
const brackets = `export const present_name = (cases: readonly { value: unknown }[]) =>
  cases.map(({ value }) => '<' + String(value) + '>');`;

const calm = shouting.replace('Do not shout.', 'Be calm.');

const file = (...code: readonly string[]): string =>
  `## file: src/rules.ts\n\`\`\`ts\n${code.join('\n')}\n\`\`\`\n`;

function stageOf(script: Script, code?: string): FileStage {
  const own = code === undefined ? {} : { 'skills/items/src/rules.ts': code };
  return fileStage({ 'skills/items/tskill.md': tableText(fields), ...own }, script);
}

function add(stage: FileStage, name: string, tag: string = name): Promise<Played> {
  return stage.run('items', addOf(name, tag));
}

function addOf(name: string, tag: string = name): JsonObject {
  return { operation: 'add', records: [{ tag, name }], confirm: false };
}

const list = (stage: FileStage): Promise<Played> => stage.run('items', { operation: 'list' });

async function count(stage: FileStage): Promise<Json | undefined> {
  const { result } = await stage.run('items', { operation: 'count' });
  const value: Json | undefined = result.value;
  return isJsonObject(value) ? value['count'] : value;
}

describe('rules in words', { skip: withoutBubblewrap }, () => {
  test('become code before the first call, apply to add and update, and are generated again only when they change', async () => {
    await using stage = stageOf([file(shouting, brackets), file(calm, brackets)]);
    const drill = await add(stage, 'Drill', 'D-1');
    assert.equal(drill.result.status, 'done', JSON.stringify(drill.result));
    assert.match(readFileSync(stage.files.at('skills/items/src/rules.ts'), 'utf8'), /Do not shout/);
    const refused = await add(stage, 'HAMMER', 'H-1');
    assert.match(JSON.stringify(refused.result), /Do not shout\./);
    const where = { field: 'tag', is: 'equals', value: 'D-1' };
    const set = (name: string): Promise<Played> =>
      stage.run('items', { operation: 'update', where, set: { name }, confirm: false });
    assert.match(JSON.stringify((await set('DRILL')).result), /Do not shout\./);
    assert.equal((await set('Saw')).result.status, 'done');
    assert.match((await list(stage)).result.text ?? '', /<Saw>/);
    assert.equal(await count(stage), 1);
    assert.equal(stage.model.requests.length, 1);

    stage.files.write(
      'skills/items/tskill.md',
      tableText({ ...fields, size: 'Type: integer; Min: 1' }, '## Help\n\nAsk.\n'),
    );
    await stage.agent.reload();
    await add(stage, 'Saw');
    assert.equal(stage.model.requests.length, 1);
    const other = { ...fields, name: fields.name.replace('No shouting', 'Stay calm') };
    stage.files.write('skills/items/tskill.md', tableText(other));
    await stage.agent.reload();
    assert.match(JSON.stringify((await add(stage, 'HAMMER')).result), /Be calm\./);
    assert.equal(stage.model.requests.length, 2);
  });

  test('are reported as not enforced if there is no model', async () => {
    await using stage = stageOf([]);
    const { result, notes } = await add(stage, 'HAMMER');
    assert.equal(result.status, 'done', JSON.stringify(result));
    assert.match(
      notes.join('\n'),
      /Not enforced: The Validator of name is not enforced \(.*tskill\.md:\d+\): no code/,
    );
    assert.doesNotMatch((await list(stage)).result.text ?? '', /</);
  });

  test('that a person put into code fail closed, and what shows values only warns', async () => {
    await using stage = stageOf([], `${hostile}\n${nonsense}`);
    stage.files.write('secret.txt', stage.files.path);
    for (const what of ['throws', 'nonsense', 'huge', 'network', 'files', 'processes']) {
      const { result } = await add(stage, what);
      assert.equal(result.error?.code, 'skill.failed', `${what}: ${JSON.stringify(result)}`);
      assert.match(result.error.message, /^The code of "items" for .*tskill\.md:\d+ failed: /);
    }
    const endless = await stage.run('items', addOf('endless'), { limits: { callSeconds: 3 } });
    assert.equal(endless.result.error?.code, 'limit.time', JSON.stringify(endless.result));
    assert.equal(await count(stage), 0);
    assert.equal((await add(stage, 'Drill')).result.status, 'done');
    const { result, notes } = await list(stage);
    assert.match(result.text ?? '', /Drill/);
    assert.match(notes.join('\n'), /present_name did not return a list .* shown as they are stored/);
    assert.equal(stage.model.requests.length, 0);
  });
});

const nonsense = 'export const present_name = () => 5;';
const hostile = `export const validate_name = async ([{ value }]: readonly { value: unknown }[]) => {
  switch (value) {
    case 'throws': throw new Error('It broke.');
    case 'nonsense': return [true];
    case 'huge': return ['x'.repeat(200_000_000)];
    case 'network': return [await fetch('http://127.0.0.1:9/').then(() => null)];
    case 'files': return [(await import('node:fs')).readFileSync(import.meta.dirname + '/../../../secret.txt', 'utf8') && null];
    case 'processes': return [(await import('node:child_process')).execSync('true') && null];
    case 'endless': for (;;) {}
    default: return [null];
  }
};`;
