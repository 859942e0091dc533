import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableStage } from '../../../test/support/table-stage.ts';
import { explainRun } from '../../views/why.ts';

const tools = Array.from({ length: 25 }, (_, index) => ({ tag: `D-${index + 10}`, name: `Drill ${index}` }));

test('what names no table is for the one that was spoken to last', async () => {
  await using stage = tableStage();
  await stage.fill(tools);
  await stage.fill([{ name: 'Hall' }], 'areas');
  await stage.ask('list tools');
  const next = await stage.say('next');
  assert.match(next.text, /Records 21 to 25 of 25 in Tools/);
  const [reason] = explainRun(await stage.agent.runs.events(next.runId)).filter(
    ({ kind }) => kind === 'skill-selected',
  );
  assert.match(reason?.text ?? '', /"tools" was chosen because it was last active in this session/);
  assert.match((await stage.say('set status to faulty for D-12')).text, /status: ok → faulty/);
  assert.match((await stage.say('yes')).text, /Changed D-12/);
  assert.match((await stage.say('undo')).text, /faulty → ok/);
  await stage.say('yes');
  assert.match((await stage.say('list areas')).text, /Hall/);
  assert.match((await stage.say('how many areas')).text, /^1 record/, 'though tools say "how many" as well');
  assert.match((await stage.say('show 1')).text, /name: +Hall/);
});

test('what it cannot read, and what is said in another session, is for somebody else', async () => {
  await using stage = tableStage();
  await stage.fill(tools);
  await stage.ask('list tools');
  assert.equal((await stage.say('how is the weather in Rome?')).error?.code, 'skill.not-found');
  assert.match((await stage.say('next')).text, /21 to 25/, 'also after something that led nowhere');
  assert.equal((await stage.say('next', { session: 'b' })).error?.code, 'skill.not-found');
});
