import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { agentWith, codeOf, done, textOf, type TestSkill } from '../../../test/support/kernel.ts';
import { potAgent, potFolder } from '../../../test/support/pots.ts';
import type { Question, RunResult } from '../../core/run.ts';
import type { PromptOptions } from '../prompt-options.ts';

type Say = (prompt: string, more?: PromptOptions) => Promise<RunResult>;

/** Returns a function that runs prompts in one session of an agent. */
function inSession(agent: ReturnType<typeof potAgent>, sessionId = 's'): Say {
  return (prompt, more = {}) =>
    agent.executePrompt(prompt, { ...more, context: { ...more.context, sessionId } });
}

/** Returns the outcome of a prompt, and the questions that are still open. */
function summaryOf({ status, text, stillOpen }: RunResult): readonly (string | undefined)[] {
  return [status, text, stillOpen?.text];
}

describe('words that the family of a waiting skill calls no answer', () => {
  test('are a request of their own, to the same skill or another one, and the question stays open', async () => {
    using files = potFolder();
    await using agent = potAgent(files);
    const say = inSession(agent);
    const first = await say('/pots delete 3');
    assert.deepEqual(summaryOf(first), ['waiting', 'Really delete 3?', undefined]);
    const between = await say('list the pots');
    assert.deepEqual(summaryOf(between), ['done', 'did: list the pots', 'Really delete 3?']);
    assert.notEqual(between.runId, first.runId);
    const { stillOpen } = between;
    assert.deepEqual(
      [stillOpen?.options, stillOpen?.path, stillOpen?.kind],
      [['yes', 'no'], ['pots'], 'input'],
    );
    assert.equal(stillOpen?.id, first.question?.id);
    const named: readonly (readonly [string, PromptOptions?])[] = [
      ['/echo yes'],
      ['@echo yes'],
      ['yes', { skillName: 'echo' }],
    ];
    for (const [prompt, more] of named)
      assert.deepEqual(summaryOf(await say(prompt, more)), ['done', 'echo: yes', 'Really delete 3?'], prompt);
    const direct = await agent.run({ skill: 'echo', input: 'yes', session: 's' }).result;
    assert.deepEqual(summaryOf(direct), ['done', 'echo: yes', 'Really delete 3?']);
    const answer = await say(' yes ');
    assert.deepEqual(summaryOf(answer), ['done', 'delete 3: yes', undefined]);
    assert.equal(answer.runId, first.runId);
    assert.deepEqual(summaryOf(await say('list the pots')), ['done', 'did: list the pots', undefined]);
  });

  test('that fit no skill fail as always, and the question stays open', async () => {
    using files = potFolder();
    await using agent = potAgent(files);
    const say = inSession(agent);
    await say('/pots delete 3');
    const lost = await say('quantum chromodynamics');
    assert.deepEqual([codeOf(lost), lost.stillOpen?.text], ['skill.not-found', 'Really delete 3?']);
    assert.equal((await say('2')).text, 'delete 3: no');
  });

  test('are an answer where a program asked for exactly that', async () => {
    using files = potFolder();
    await using agent = potAgent(files);
    const io = { inputReader: () => Promise.resolve('list the pots') };
    const result = await inSession(agent)('/pots delete 3', { context: { io } });
    assert.deepEqual(summaryOf(result), ['done', 'delete 3: list the pots', undefined]);
  });

  test('are an answer where the family says so, or fails to say it', async () => {
    using files = potFolder();
    const fails = (): never => {
      throw new Error('what a family');
    };
    for (const answers of [fails, () => true]) {
      await using agent = potAgent(files, {}, { prompts: { answers } });
      const say = inSession(agent);
      await say('/pots delete 3');
      assert.equal((await say('list the pots')).text, 'delete 3: list the pots');
    }
  });

  test('wait for no one where the skill that asked is gone', async () => {
    using files = potFolder();
    const store = files.at('runs.db');
    {
      await using before = potAgent(files, { store });
      await inSession(before)('/pots delete 3');
    }
    await using agent = potAgent(files, { store, startDir: files.at('runs') });
    assert.equal(codeOf(await inSession(agent)('list the pots')), 'skill.not-found');
  });
});

describe('several questions of one session', () => {
  test('are answered from the last run that asked, each by its own prompt', async () => {
    using files = potFolder();
    await using agent = potAgent(files);
    const say = inSession(agent);
    const first = await say('/pots delete 1');
    const second = await say('delete 2 pots');
    assert.deepEqual(summaryOf(second), ['waiting', 'Really delete 2 pots?', 'Really delete 1?']);
    assert.deepEqual(summaryOf(await say('list the pots')), [
      'done',
      'did: list the pots',
      'Really delete 2 pots?',
    ]);
    assert.equal((await agent.runs.waitingIn('s'))?.runId, second.runId);
    assert.equal((await agent.runs.waitingIn('s', 'yes'))?.runId, second.runId);
    assert.equal(await agent.runs.waitingIn('s', 'list the pots'), undefined);
    assert.deepEqual(summaryOf(await say('yes')), ['done', 'delete 2 pots: yes', 'Really delete 1?']);
    const last = await say('no');
    assert.deepEqual([last.runId, ...summaryOf(last)], [first.runId, 'done', 'delete 1: no', undefined]);
  });

  test('of one run are answered from the oldest on', async () => {
    using files = potFolder();
    await using agent = potAgent(
      files,
      {},
      {
        execute: async (_definition, _input, scope) => {
          const answers = await Promise.all(
            ['a?', 'b?'].map((text) => scope.ask({ text, options: ['yes', 'no'] })),
          );
          return done(answers.map(textOf).join(' '));
        },
      },
    );
    const say = inSession(agent);
    await say('/pots');
    assert.deepEqual(summaryOf(await say('yes')), ['waiting', 'b?', undefined]);
    assert.equal((await say('no')).text, 'yes no');
  });

  test('are dropped by /cancel one after the other, the last one first', async () => {
    using files = potFolder();
    await using agent = potAgent(files);
    const say = inSession(agent);
    const first = await say('/pots delete 1');
    const second = await say('/pots delete 2');
    const dropped = await say('/cancel');
    assert.deepEqual([dropped.runId, dropped.status], [second.runId, 'cancelled']);
    assert.equal(dropped.stillOpen?.text, 'Really delete 1?');
    assert.deepEqual(
      [(await say('yes')).runId, (await agent.runs.waitingIn('s'))?.runId],
      [first.runId, undefined],
    );
  });

  test('are known to another process, and answered there', async () => {
    using files = potFolder();
    const store = files.at('runs.db');
    {
      await using before = potAgent(files, { store });
      await inSession(before)('/pots delete 1');
      await inSession(before)('/pots delete 2');
    }
    await using agent = potAgent(files, { store });
    const say = inSession(agent);
    assert.deepEqual(summaryOf(await say('list the pots')), [
      'done',
      'did: list the pots',
      'Really delete 2?',
    ]);
    assert.deepEqual(summaryOf(await say('yes')), ['done', 'delete 2: yes', 'Really delete 1?']);
    assert.deepEqual(summaryOf(await say('1')), ['done', 'delete 1: yes', undefined]);
  });

  test('of two users are never mixed', async () => {
    using files = potFolder();
    await using agent = potAgent(files);
    const [ann, bob] = [inSession(agent, 'ann'), inSession(agent, 'bob')];
    await Promise.all([ann('/pots delete 1'), bob('/pots delete 2')]);
    const [hers, his] = await Promise.all([ann('list the pots'), bob('list the pots')]);
    assert.deepEqual([hers.stillOpen?.text, his.stillOpen?.text], ['Really delete 1?', 'Really delete 2?']);
    const answers = await Promise.all([ann('no'), bob('yes')]);
    assert.deepEqual(
      answers.map(({ text }) => text),
      ['delete 1: no', 'delete 2: yes'],
    );
    const other = { context: { user: { id: 'eve' } } };
    await inSession(agent, 'own')('/pots delete 3', { context: { user: { id: 'ann' } } });
    const denied = await inSession(agent, 'own')('list the pots', other);
    assert.deepEqual([codeOf(denied), denied.stillOpen], ['policy.denied', undefined]);
  });
});

describe('a yes or no', () => {
  const asks = (question: Question): TestSkill => ({
    run: async (_input, scope) => done(`answered: ${textOf(await scope.ask(question))}`),
  });
  const asking = (
    questions: Readonly<Record<string, Question>>,
    more: Readonly<Record<string, TestSkill>> = {},
  ) =>
    agentWith({
      echo: { run: (input) => done(`echo: ${textOf(input)}`) },
      ...Object.fromEntries(Object.entries(questions).map(([name, question]) => [name, asks(question)])),
      ...more,
    });
  const decision = { text: 'Really delete?', options: ['Proceed', 'Cancel'] };

  test('does not confirm a question that was shown before another one', async () => {
    await using agent = asking({ remove: decision, colour: { text: 'Which colour?' } });
    const say = inSession(agent);
    const colour = await say('/colour');
    const removal = await say('/remove');
    assert.deepEqual(summaryOf(await say('/echo x')), ['done', 'echo: x', 'Really delete?']);
    assert.equal((await agent.runs.waitingIn('s'))?.runId, removal.runId);
    const blue = await say('blue');
    assert.deepEqual([blue.runId, blue.text], [colour.runId, 'answered: blue']);
    const again = await say('/colour');
    const yes = await say('yes');
    assert.deepEqual([yes.runId, yes.text], [again.runId, 'answered: yes']);
    assert.equal((await say('Proceed')).runId, removal.runId);
  });

  test('does not answer an open question that is older than the last one', async () => {
    await using agent = asking({ size: { text: 'Which size?' }, colour: { text: 'Which colour?' } });
    const say = inSession(agent);
    const size = await say('/size');
    const colour = await say('/colour');
    assert.equal((await say('yes')).runId, colour.runId);
    await say('/colour');
    assert.equal((await say('XL')).runId, size.runId);
  });

  test('answers the question that a resumed run still asks', async () => {
    const both: TestSkill = {
      run: async (_input, scope) => {
        const answers = await Promise.all(['First?', 'Second?'].map((text) => scope.ask({ text })));
        return done(answers.map(textOf).join(' '));
      },
    };
    await using agent = asking({ remove: decision }, { both });
    const say = inSession(agent);
    const first = await say('/both');
    await say('/remove');
    await delay(2); // Runs that stop in the same millisecond have no order.
    assert.deepEqual(summaryOf(await say('blue')), ['waiting', 'Second?', 'Really delete?']);
    const yes = await say('yes');
    assert.deepEqual([yes.runId, yes.text], [first.runId, 'blue yes']);
  });

  test('to an approval does not answer an older question', async () => {
    const act: TestSkill = { permission: 'Act', allowedSkills: [], run: () => done('acted') };
    await using agent = agentWith(
      {
        colour: { run: async (_input, scope) => done(textOf(await scope.ask({ text: 'Which colour?' }))) },
        act,
        echo: { run: (input) => done(`echo: ${textOf(input)}`) },
      },
      { permissions: { ask: ['Act'], tools: ['Act'] } },
    );
    const say = inSession(agent);
    const colour = await say('/colour');
    assert.equal((await say('/act')).question?.kind, 'approval');
    assert.equal(await agent.runs.waitingIn('s', 'yes'), undefined);
    assert.equal((await agent.runs.waitingIn('s', 'blue'))?.runId, colour.runId);
  });

  const decisions: Readonly<Record<string, Question>> = {
    'a schema that lists yes and no': { text: 'Sure?', schema: { type: 'string', enum: ['yes', 'no'] } },
    'a schema of constants': {
      text: 'Sure?',
      schema: { anyOf: [{ const: 'approve' }, { const: 'reject' }] },
    },
    'Proceed and Cancel': decision,
  };
  for (const [what, question] of Object.entries(decisions))
    test(`is needed for a question with ${what}`, async () => {
      await using agent = asking({ remove: question, colour: { text: 'Which colour?' } });
      const say = inSession(agent);
      await say('/remove');
      const colour = await say('/colour');
      for (const answer of [...(question.options ?? []), 'yes', 'approve', 'Cancel'])
        assert.equal((await agent.runs.waitingIn('s', answer))?.runId, colour.runId, answer);
      await say('blue');
      assert.equal((await agent.runs.waitingIn('s', 'yes'))?.question.text, question.text);
    });
});
