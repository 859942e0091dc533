import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done, textOf } from '../../../test/support/kernel.ts';
import { call, leaf } from '../../../test/support/loop-stage.ts';
import { oskillText, type Sections } from '../../../test/support/orchestrator-stage.ts';
import { stageIn, type SubagentStage } from '../../../test/support/subagent-stage.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { Script } from '../../models/scripted.ts';

interface Waiting {
  readonly desk: Sections;
  readonly script: Script;
  readonly answer: string;
}

const allowed = '- note\n- ask';

/** The ways in which something below an orchestrator can ask a person, each between two counted calls. */
const ways: Readonly<Record<string, Waiting>> = {
  'a skill of a loop': {
    desk: { Session: 'loop', 'Allowed Skills': allowed },
    script: [{ calls: [call('note')] }, { calls: [call('ask'), call('note', { input: 'too' })] }, 'Booked.'],
    answer: 'Booked.',
  },
  'a command of a plan': {
    desk: { 'Allowed Skills': allowed },
    script: ['@a note first\n@b ask $a\n@c note second\n@d final_answer $b'],
    answer: 'Noted Monday.',
  },
  'a step of a script': {
    desk: {
      'Allowed Skills': allowed,
      Script: '@a note first\n@b ask $a\n@c note second\n@d final_answer $b',
    },
    script: [],
    answer: 'Noted Monday.',
  },
  'a preparation': {
    desk: { Session: 'loop', 'Allowed Skills': '- note', Preparation: 'Ask.', 'Prep Skills': allowed },
    script: [{ calls: [call('ask'), call('note')] }, 'Monday.', { calls: [call('note')] }, 'Booked.'],
    answer: 'Booked.',
  },
};

describe('a question below an orchestrator', () => {
  for (const [what, { desk, script, answer }] of Object.entries(ways)) {
    test(`of ${what} is answered once, by another process, and nothing is done twice`, async () => {
      using folder = tree({ '.agents/skills/desk/oskill.md': oskillText('desk', desk) });
      const counts = { notes: 0, answers: 0 };
      const first = open(folder, script, counts);
      const asked = await first.agent.run({ skill: 'desk', input: 'Book it.', session: 'ann' }).result;
      assert.deepEqual([asked.status, asked.question?.text], ['waiting', 'Which day?']);
      const before = first.model.requests.length;
      await first.agent.shutdown();

      const rest: Script = Array.isArray(script) ? script.slice(before) : script;
      await using second = open(folder, rest, counts);
      await second.agent.runs.answer(asked.runId, 'Monday');
      const { text, error } = await second.agent.runs.resume(asked.runId).result;
      assert.equal(text, answer, JSON.stringify(error));
      assert.deepEqual(counts, { notes: 2, answers: 1 });
    });
  }

  test('is that of its own session: another user neither sees nor answers it', async () => {
    const { desk, script } = ways['a skill of a loop'] ?? {};
    using folder = tree({ '.agents/skills/desk/oskill.md': oskillText('desk', desk) });
    const turns = script as readonly never[];
    await using on = open(folder, [...turns.slice(0, 2), ...turns], { notes: 0, answers: 0 });
    const ann = await on.agent.run({ skill: 'desk', input: 'Book it.', session: 'ann' }).result;
    const ben = await on.agent.run({ skill: 'desk', input: 'Book it.', session: 'ben' }).result;
    assert.deepEqual([ann.status, ben.status], ['waiting', 'waiting']);
    await on.agent.runs.answer(ben.runId, 'Tuesday');
    assert.equal((await on.agent.runs.resume(ben.runId).result).text, 'Booked.');
    const [waiting] = (await on.agent.runs.list({ status: ['waiting'] })).map(({ id }) => id);
    assert.equal(waiting, ann.runId);
  });
});

function open(folder: Tree, script: Script, counts: { notes: number; answers: number }): SubagentStage {
  const note = leaf((input: string) => done(`${input} ${(counts.notes += 1)}`));
  const ask = leaf(async (_input, scope) => {
    const day = textOf(await scope.ask('Which day?'));
    counts.answers += 1;
    return done(`Noted ${day}.`);
  });
  return stageIn(folder, script, { skills: { note, ask }, store: folder.at('runs.db') });
}
