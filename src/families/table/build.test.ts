import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asked, tableStage, type TableStage } from '../../../test/support/table-stage.ts';
import { tableText } from '../../../test/support/written-table.ts';
import type { RunResult } from '../../core/run.ts';

const before = tableText({ code: 'Primary Key: given', price: '', old: '' });
const after = tableText({ code: 'Primary Key: given', price: 'Type: decimal' });

test('a table that is as its file says has nothing to build', async () => {
  await using stage = tableStage({ tables: { items: before } });
  const { ok, text } = await build(stage);
  assert.deepEqual([ok, text], [true, 'items: The table matches its file.']);
});

test('what needs approval is asked about, one after the other, and made once', async () => {
  await using stage = await changedStage();
  const blocked = await stage.ask('list items');
  assert.equal(blocked.error?.code, 'skill.unavailable');
  assert.match(blocked.error?.hint ?? '', /skilled build items/);

  const first = await build(stage, { force: true });
  const question = asked(first);
  assert.match(
    question,
    /^The field "price" is stored as string but should be decimal\. 2 values would be converted\.\n/,
  );
  assert.match(question, /Statements:\n[\s\S]*create table[\s\S]*Do you approve\?$/);
  assert.deepEqual(first.question?.options, ['yes', 'no']);
  const second = await answered(stage, first.runId, 'yes');
  assert.match(
    asked(second),
    /"old" of "items", which holds 1 value\.[\s\S]*The values will be permanently lost\. Do you approve\?$/,
  );
  const { ok, text } = await answered(stage, first.runId, 'no');
  assert.equal(ok, true);
  assert.match(
    text,
    /^items: Done: The field "price" .* Left unchanged: The file no longer has a field for the column "old"/,
  );

  assert.deepEqual(await stage.rows(), [
    { code: 'a', price: 1.5 },
    { code: 'b', price: 2 },
  ]);
  assert.match(asked(await build(stage)), /the column "old"/, 'what was declined is offered again');
});

test('what is declined stays as it is', async () => {
  await using stage = await changedStage();
  const { runId } = await build(stage);
  await answered(stage, runId, 'no');
  assert.equal((await answered(stage, runId, 'maybe')).ok, true);
  assert.equal((await stage.ask('list items')).error?.code, 'skill.unavailable');
});

test('what cannot be done as things are is not asked about', async () => {
  await using stage = await changedStage('not a number');
  const first = await build(stage);
  assert.match(asked(first), /the column "old"/);
  const { error } = await answered(stage, first.runId, 'no');
  assert.equal(error?.code, 'skill.unavailable');
  assert.match(error?.hint ?? '', /1 value cannot be converted, such as "not a number"\./);
});

test('anyone who may not write the table sees none of its values', async () => {
  const roles = '\n## Role Access Policy\n\n- Read: Clerk\n- Write: Manager\n';
  await using stage = tableStage({ tables: { items: before + roles } });
  assert.equal((await build(stage)).error?.code, 'policy.denied');
  assert.equal((await build(stage, {}, ['Clerk'])).error?.code, 'policy.denied');
  assert.equal((await build(stage, {}, ['Manager'])).ok, true);
});

/** Creates a table with two records whose file then changed. */
async function changedStage(price = '2'): Promise<TableStage> {
  const stage = tableStage({ tables: { items: before } });
  await stage.fill([
    { code: 'a', price: '1.5', old: 'x' },
    { code: 'b', price },
  ]);
  stage.files.write('.agents/skills/items/tskill.md', after);
  await stage.agent.reload();
  return stage;
}

function build({ agent }: TableStage, input = {}, roles: readonly string[] = []): Promise<RunResult> {
  return agent.run({ skill: 'items', mode: 'build', input, user: { roles } }).result;
}

async function answered({ agent }: TableStage, runId: string, answer: string): Promise<RunResult> {
  await agent.runs.answer(runId, answer);
  return agent.runs.resume(runId).result;
}
