import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Decision, Policy } from '../../src/core/policy.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { checkRecordedLog } from '../support/stored-log.ts';
import { agentWith, done, textOf } from '../support/kernel.ts';
import { call, leaf, thinker } from '../support/loop-stage.ts';

const policy: Policy = {
  decide({ skill }): Decision {
    if (skill === 'erase') return { decision: 'deny', reason: 'Nothing is ever erased.' };
    if (skill === 'lend') return { decision: 'ask', reason: 'It is yours.', rule: 'Skill(lend)' };
    return { decision: 'allow' };
  },
};

test('the log of a loop is the one that was kept: calls, refusal, retry, question, approval, steering, summary', async () => {
  const model = createScriptedModel(
    [
      { text: 'First two at once.', calls: [call('work', { input: 'a' }), call('work', { input: 'b' })] },
      { error: { code: 'model.busy', message: 'It is busy.', details: { passing: true, retryAfterMs: 0 } } },
      { calls: [call('erase'), call('nothing'), call('work', { wrong: true })] },
      { calls: [call('ask', { input: 'Which one?' })] },
      { calls: [call('lend', { input: 'the left one' })] },
      { text: 'Once more.', calls: [call('work', { input: 'again: $$work-1' })] },
      'All of it is done.',
    ],
    { id: 'scripted/thinking' },
  );
  const summary = createScriptedModel(['Two were worked on: $$work-1 and $$work-2.'], {
    id: 'scripted/short',
  });
  await using agent = agentWith(
    {
      work: leaf((input) => done(`worked on ${input}`, { length: input.length }), { input: z.string() }),
      erase: leaf(() => done('erased')),
      lend: leaf((input) => done(`lent ${input}`)),
      ask: leaf(async (input, scope) => done(textOf(await scope.ask(input)))),
      think: thinker(['work', 'erase', 'lend', 'ask'], { compactAt: 150, keepRecent: 2 }),
    },
    { models: { fast: model, short: summary }, tierConfig: { summary: 'short' }, policy },
  );
  const first = await agent.run({ skill: 'think', input: 'Do all of it.' }).result;
  const { runId } = first;
  assert.equal(first.question?.text, 'Which one?', JSON.stringify(first.error));
  await agent.runs.steer(runId, 'Hurry.');
  await agent.runs.answer(runId, 'the left one');
  const second = await agent.runs.resume(runId).result;
  assert.equal(second.question?.asks?.skill, 'lend', JSON.stringify(second.error));
  await agent.runs.approve(runId, second.question.id, { allow: 'once' });
  const last = await agent.runs.resume(runId).result;
  assert.equal(last.text, 'All of it is done.', JSON.stringify(last.error));

  checkRecordedLog('thinking', await agent.runs.events(runId));
});
