import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import type { RunEvent } from '../../src/core/event.ts';
import type { Decision, Policy } from '../../src/core/policy.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, done, textOf } from '../support/kernel.ts';
import { call, leaf, thinker } from '../support/loop-stage.ts';

// To keep another log on purpose: KEEP_LOG=1 npm test -- test/journeys/thinking.test.ts
const kept = join(import.meta.dirname, 'fixtures', 'thinking.jsonl');

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

  const log = (await agent.runs.events(runId)).map(steady);
  if (process.env['KEEP_LOG'] === '1') writeFileSync(kept, log.map((line) => `${line}\n`).join(''));
  const before = readFileSync(kept, 'utf8').trimEnd().split('\n');
  assert.deepEqual(log.map(parsed), before.map(parsed));
});

/** An event without what is another one each time, and without its place, so that one more line is one difference. Ids of frames and hashes of requests stay: a run that an older version began is taken up by them. */
function steady({ at: _at, runId: _runId, seq: _seq, ...event }: RunEvent): string {
  if (event.type === 'run.resumed') return JSON.stringify({ ...event, owner: 'somebody' });
  if (event.type !== 'approval.requested') return JSON.stringify(event);
  const { expires, ...asks } = event.asks;
  assert.ok(expires !== undefined);
  return JSON.stringify({ ...event, asks });
}

function parsed(line: string): unknown {
  return JSON.parse(line);
}
