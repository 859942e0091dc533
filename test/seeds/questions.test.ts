import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pause } from '../../src/core/async.ts';
import type { RunResult } from '../../src/core/run.ts';
import { agentWith, askAbout, codeOf, done, textOf } from '../support/kernel.ts';
import { leaf } from '../support/loop-stage.ts';

const ask = leaf(async (input, scope) => done(`${textOf(input)}: ${textOf(await scope.ask(textOf(input)))}`));
const confirm = leaf(async (input, scope) => {
  const answer = await scope.ask({ text: `Delete ${textOf(input)}?`, options: ['yes', 'no'] });
  return done(`${textOf(input)}: ${textOf(answer)}`);
});
const echo = leaf((input) => done(`echo: ${textOf(input)}`));
const act = leaf(() => done('acted'));
const skills = { ask, confirm, echo, act };
type Agent = ReturnType<typeof agentWith>;

/** Calls a skill that asks a question. Later calls also have later times. */
async function asked(agent: Agent, skillName: string, prompt: string): Promise<Required<RunResult>> {
  const result = await agent.executePrompt(prompt, { skillName });
  assert.equal(result.status, 'waiting', codeOf(result));
  await pause(2); // the log's clock has a resolution of one millisecond
  return result as Required<RunResult>;
}

async function say(agent: Agent, prompt: string): Promise<string> {
  return (await agent.executePrompt(prompt)).text;
}

describe('a prompt of a session in which several runs wait', () => {
  test('answers the oldest question', async () => {
    await using agent = agentWith(skills);
    for (const what of ['first', 'second', 'third']) await asked(agent, 'ask', what);
    for (const what of ['first', 'second', 'third']) {
      assert.equal((await agent.runs.waitingIn(null))?.question.text, what);
      assert.equal(await say(agent, 'Monday'), `${what}: Monday`);
    }
  });

  test('answers the question that is shown, by its id, and no other', async () => {
    await using agent = agentWith(skills);
    await asked(agent, 'ask', 'first');
    const second = await asked(agent, 'ask', 'second');
    const question = { runId: second.runId, id: second.question.id };
    assert.equal((await agent.runs.waitingIn(undefined, undefined, question))?.runId, second.runId);
    const answer = await agent.executePrompt('Monday', { question });
    assert.deepEqual([answer.text, answer.stillOpen?.text], ['second: Monday', 'first']);
    const late = await agent.executePrompt('Friday', { question });
    assert.equal(codeOf(late), 'usage.not-found');
    const none = await agent.executePrompt('Friday', { question: null });
    assert.deepEqual([codeOf(none), none.stillOpen?.text], ['skill.not-found', 'first']);
    const { runId = '', id = '' } = none.stillOpen ?? {};
    assert.equal((await agent.executePrompt('Friday', { question: { runId, id } })).text, 'first: Friday');
  });

  test('never confirms what was not asked last', async () => {
    await using agent = agentWith(skills);
    await asked(agent, 'confirm', 'all');
    await asked(agent, 'ask', 'name');
    assert.equal(await say(agent, 'yes'), 'name: yes');
    await asked(agent, 'confirm', 'more');
    assert.equal(await say(agent, 'yes'), 'more: yes');
    assert.equal(await say(agent, 'no'), 'all: no', 'the only one that is left, and shown as still open');
  });

  test('confirms what was asked last although another question is older', async () => {
    await using agent = agentWith(skills);
    await asked(agent, 'ask', 'name');
    await asked(agent, 'confirm', 'all');
    assert.equal(await say(agent, 'yes'), 'all: yes');
    await asked(agent, 'confirm', 'all');
    assert.equal(await say(agent, 'Ann'), 'name: Ann');
  });

  test('neither decides an approval nor confirms anything else while one is asked for', async () => {
    await using agent = agentWith(skills, { policy: askAbout('act') });
    const first = await asked(agent, 'confirm', 'all');
    const approval = await asked(agent, 'act', 'x');
    assert.equal(await agent.runs.waitingIn(), undefined);
    const yes = await agent.executePrompt('yes');
    assert.equal(codeOf(yes), 'skill.not-found');
    await agent.runs.approve(approval.runId, approval.question.id, { deny: 'no' });
    await agent.runs.resume(approval.runId).result;
    const { runId, text } = await agent.executePrompt('yes');
    assert.deepEqual([runId, text], [first.runId, 'all: yes']);
  });
});

describe('a session that was cleared', () => {
  test('has no open question that could take the next prompt, and its runs are cancelled', async () => {
    await using agent = agentWith(skills, { policy: askAbout('act') });
    const runs = [await asked(agent, 'ask', 'first'), await asked(agent, 'act', 'x')];
    const other = await agent.executePrompt('else', { skillName: 'ask', session: 'other' });
    await agent.clearSessionMemory();
    assert.equal(await agent.runs.waitingIn(), undefined);
    for (const { runId } of runs) assert.equal((await agent.runs.find(runId)).status, 'cancelled');
    const next = await agent.executePrompt('Monday');
    assert.deepEqual([codeOf(next), next.stillOpen], ['skill.not-found', undefined]);
    assert.equal((await agent.runs.find(other.runId)).status, 'waiting');
  });
});
