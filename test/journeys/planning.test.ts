import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Json } from '../../src/core/json.ts';
import type { Decision, Policy } from '../../src/core/policy.ts';
import { AgentError } from '../../src/core/error.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { checkRecordedLog } from '../support/stored-log.ts';
import { agentWith, done, textOf } from '../support/kernel.ts';
import { leaf } from '../support/loop-stage.ts';
import { sopPlanner } from '../support/sop-stage.ts';

const policy: Policy = {
  decide({ skill }): Decision {
    if (skill === 'erase') return { decision: 'deny', reason: 'Nothing is ever erased.' };
    if (skill === 'lend') return { decision: 'ask', reason: 'It is yours.', rule: 'Skill(lend)' };
    return { decision: 'allow' };
  },
};

const wrong = '@found find bicycles\n@found fnid $nothing\n@answer final_answer $found';
const first = `# Looks for bicycles.
@found   find bicycles
@checked each $found check $item.name number=$index
@which   ask "Which one?" when $found
@none    assign "There is none." when not $found
@gone    erase $which
@answer  final_answer $gone $checked`;
const second = first.replace('@gone    erase $which', '@gone    lend $which');

test('the log of a plan is the one that was kept: repair, comments, each, when, question, denial, second plan, approval', async () => {
  const plan = createScriptedModel([wrong, first, second], { id: 'scripted/planning' });
  const skills = {
    find: leaf(() => done('', [{ name: 'red' }, { name: 'blue' }])),
    check: leaf(({ name, number }: { name: string; number: number }) => done(`${number}: ${name} is fine`), {
      input: z.object({ name: z.string(), number: z.int() }),
    }),
    ask: leaf(async (input: string, scope) => done(textOf(await scope.ask(input)))),
    erase: leaf(() => done('erased')),
    lend: leaf((input: Json) => {
      if (input === '') throw new AgentError('skill.failed', 'Nothing to lend.');
      return done(`lent ${textOf(input)}`);
    }),
  };
  const planner = sopPlanner(Object.keys(skills));
  await using agent = agentWith({ ...skills, planner }, { models: { plan }, policy });
  const asked = await agent.run({ skill: 'planner', input: 'Lend one of the bicycles.' }).result;
  const { runId } = asked;
  assert.equal(asked.question?.text, 'Which one?', JSON.stringify(asked.error));
  await agent.runs.answer(runId, 'the red one');
  const waiting = await agent.runs.resume(runId).result;
  assert.equal(waiting.question?.asks?.skill, 'lend', JSON.stringify(waiting.error));
  await agent.runs.approve(runId, waiting.question.id, { allow: 'once' });
  const last = await agent.runs.resume(runId).result;
  assert.equal(
    last.text,
    'lent the red one ["0: red is fine","1: blue is fine"]',
    JSON.stringify(last.error),
  );
  checkRecordedLog('planning', await agent.runs.events(runId));
});
