import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeSkillStage } from '../../../test/support/code-skill-stage.ts';
import { codeOf } from '../../../test/support/kernel.ts';
import { createPolicy } from '../../policy/policy.ts';
import { openTrustBook } from '../../policy/trust-book.ts';

const saying = (word: string): string => `export const action = () => '${word}';\n`;
const index = 'skills/says/src/index.ts';

describe('code that changes', () => {
  test('is the new one from the next call on', async () => {
    await using stage = codeSkillStage({ says: { code: saying('one') } });
    assert.equal((await stage.run('says')).result.text, 'one');
    for (const word of ['two', 'three']) {
      stage.files.write(index, saying(word));
      assert.equal((await stage.run('says')).result.text, word);
    }
  });

  test('of a project runs once a person trusts it, and is asked about again after one changed byte', async () => {
    const policy = createPolicy({}, openTrustBook(undefined));
    await using stage = codeSkillStage({ says: { code: saying('one') } }, [], { policy });
    const { agent } = stage;
    const asked = await agent.run({ skill: 'says' }).result;
    assert.equal(asked.status, 'waiting');
    assert.match(asked.question?.asks?.rule ?? '', /^Trust\(says@/);
    await agent.runs.approve(asked.runId, asked.question?.id ?? '', { allow: 'version' });
    assert.equal((await agent.runs.resume(asked.runId).result).text, 'one');
    assert.equal((await stage.run('says')).result.text, 'one');
    stage.files.write(index, saying('two'));
    assert.equal((await stage.run('says')).result.status, 'waiting');
  });

  test('between the question and the answer does not run with that answer', async () => {
    const policy = createPolicy({}, openTrustBook(undefined));
    await using stage = codeSkillStage({ says: { code: saying('one') } }, [], { policy });
    const { agent } = stage;
    const asked = await agent.run({ skill: 'says' }).result;
    stage.files.write(index, saying('two'));
    await agent.runs
      .approve(asked.runId, asked.question?.id ?? '', { allow: 'once' })
      .catch((thrown: unknown) => thrown); // it may be refused at once, or asked anew below
    const after = await agent.runs.resume(asked.runId).result;
    assert.ok(after.status === 'waiting' || codeOf(after) === 'skill.changed', JSON.stringify(after));
  });

  test('of a folder that the host names needs no leave', async () => {
    await using stage = codeSkillStage({}, [], {
      policy: createPolicy({}, openTrustBook(undefined)),
      additionalSkillRoots: ['own'],
    });
    stage.files.write('own/says/cskill.md', '# says\n\n## Description\n\nX.\n\n## Input Format\n\nX.\n');
    stage.files.write('own/says/src/index.ts', saying('mine'));
    assert.equal((await stage.run('says')).result.text, 'mine');
  });
});
