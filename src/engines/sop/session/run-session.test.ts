import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  agentWith,
  askAbout,
  codeOf,
  done,
  hang,
  ofType,
  until,
  valueOf,
} from '../../../../test/support/kernel.ts';
import { leaf, userTexts } from '../../../../test/support/loop-stage.ts';
import { sopPlanner, sopStage } from '../../../../test/support/sop-stage.ts';
import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { Policy } from '../../../core/policy.ts';
import type { Scope } from '../../../core/scope.ts';
import { createScriptedModel } from '../../../models/scripted.ts';
import { createMemoryStore } from '../../../stores/memory.ts';
import { runSopSession } from './run-session.ts';
import type { SopMemory } from './session.ts';

/** Creates skills that record what they did. */
function shop(did: string[]) {
  const act = (name: string) =>
    leaf((input: Json) => {
      did.push(`${name} ${typeof input === 'string' ? input : JSON.stringify(input)}`);
      return done(`${name} done`);
    });
  return { charge: act('charge'), mail: act('mail'), report: act('report') };
}

const failing = (times = Number.POSITIVE_INFINITY) => {
  let left = times;
  return leaf(() => {
    left -= 1;
    if (left >= 0) throw new AgentError('skill.failed', 'The line is down.');
    return done('up again');
  });
};

describe('a script without steps', () => {
  for (const script of ['', ' \n\t', '# Later.\n\u200B\n#  More.\n']) {
    test(`runs: ${JSON.stringify(script)}`, async () => {
      await using on = sopStage([], {}, { script });
      assert.equal((await on.agent.run({ skill: 'planner' }).result).status, 'done');
      const [end] = on.ends;
      assert.deepEqual([end?.status, end?.variables, end?.answer], ['done', {}, undefined]);
    });
  }
});

describe('a session', () => {
  test('has a plan made, runs it, and gives its answer and its variables', async () => {
    const did: string[] = [];
    const plan = '@paid charge 5\n@told mail $paid   # telling them\n@answer final_answer $paid "and" $told';
    const { agent, model, ends } = sopStage([plan], shop(did));
    const { text, value } = await agent.run({ skill: 'planner', input: 'Charge five and tell them.' }).result;
    assert.equal(text, 'charge done and mail done');
    assert.deepEqual(did, ['charge 5', 'mail charge done']);
    assert.deepEqual((value as { status: string }).status, 'done');
    assert.equal(ends[0]?.plan, plan);
    assert.deepEqual(ends[0]?.variables['paid'], { status: 'success', value: 'charge done' });
    const system = model.requests[0]?.system ?? '';
    assert.match(system, /- charge <text>: Does charge\./);
    assert.deepEqual(userTexts(model.requests[0]), ['Charge five and tell them.']);
  });

  test('gives commands typed input, and whole values from one to the next', async () => {
    const inputs: Json[] = [];
    const order = z.object({ id: z.int(), items: z.array(z.string()), isPaid: z.boolean().default(false) });
    const { agent } = sopStage(['@o look 7\n@s ship $o.id items=$o.items\n@a final_answer $s'], {
      look: leaf(({ id }: { id: number }) => done('', { id, items: ['pen', 'ink'] }), {
        input: z.object({ id: z.int() }),
      }),
      ship: leaf(
        (input: Json) => {
          inputs.push(input);
          return done('', { shipped: true });
        },
        { input: order as never },
      ),
    });
    const value = valueOf(await agent.run({ skill: 'planner' }).result) as { answer: Json };
    assert.deepEqual(inputs, [{ id: 7, items: ['pen', 'ink'], isPaid: false }]);
    assert.deepEqual(value.answer, { shipped: true });
  });

  test('plans again when a step failed, and does nothing twice that succeeded', async () => {
    const did: string[] = [];
    const { agent, model, ends } = sopStage(
      [
        '@paid charge 5\n@sent post $paid\n@answer final_answer $sent',
        '@paid charge 5\n@told mail $paid\n@answer final_answer $told',
      ],
      { ...shop(did), post: failing() },
    );
    const { text } = await agent.run({ skill: 'planner' }).result;
    assert.equal(text, 'mail done');
    assert.deepEqual(did, ['charge 5', 'mail charge done']);
    assert.equal(ends[0]?.plans, 2);
    const [, report] = userTexts(model.requests[1]);
    assert.match(report ?? '', /@paid succeeded: charge done/);
    assert.match(report ?? '', /@sent failed: The line is down\./);
    assert.match(report ?? '', /@answer did not run:/);
  });

  test('tries a failed line that the new plan keeps once more', async () => {
    const plan = '@sent post now\n@answer final_answer $sent';
    const { agent, ends } = sopStage([plan, plan], { post: failing(1) });
    const { text } = await agent.run({ skill: 'planner' }).result;
    assert.equal(text, 'up again');
    assert.equal(ends[0]?.plans, 2);
  });

  test('makes three plans at most', async () => {
    const plan = '@sent post now\n@answer final_answer $sent';
    const { agent, model, ends } = sopStage([plan, plan, plan, plan], { post: failing() });
    const result = await agent.run({ skill: 'planner' }).result;
    assert.equal(model.requests.length, 3);
    assert.deepEqual([result.status, codeOf(result)], ['failed', 'skill.failed']);
    assert.match(result.error?.message ?? '', /The line is down\./);
    assert.equal(ends[0]?.status, 'failed');
  });

  test('gives a plan that cannot run back with all its faults, before anything runs', async () => {
    const did: string[] = [];
    const { agent, model } = sopStage(
      [
        '@a charge 5\n@a chrage 6\n@b mail $c "open',
        'Sure:\n```\n@a charge 5\n@b final_answer $a\n```\nThat is all.',
      ],
      shop(did),
    );
    const { text } = await agent.run({ skill: 'planner' }).result;
    assert.equal(text, 'charge done');
    assert.deepEqual(did, ['charge 5']);
    const [, fault = ''] = userTexts(model.requests[1]);
    assert.match(fault, /line 2, column 1: .*"a"/);
    assert.match(fault, /line 2, column 4: .*chrage.*charge/);
    assert.match(fault, /line 3, column 12: /);
  });

  test('wants an answer from a plan that a model made', async () => {
    const { agent, model } = sopStage(['@a charge 5', '@a charge 5\n@b final_answer $a'], shop([]));
    await agent.run({ skill: 'planner' }).result;
    assert.match(userTexts(model.requests[1])[1] ?? '', /no answer.*final_answer/s);
  });

  test('gives up after five repairs', async () => {
    const { agent, model } = sopStage(Array<string>(9).fill('I would rather talk.'), shop([]));
    const result = await agent.run({ skill: 'planner' }).result;
    assert.equal(model.requests.length, 6);
    assert.equal(codeOf(result), 'model.bad-answer');
  });

  test('ends at once and honestly when the plan says that it cannot be done', async () => {
    const did: string[] = [];
    const { agent, model, ends } = sopStage(
      ['@no cannot_complete "there is no printer"\n@late report $no'],
      shop(did),
    );
    const result = await agent.run({ skill: 'planner' }).result;
    assert.equal(model.requests.length, 1);
    assert.deepEqual(did, []);
    assert.equal(ends[0]?.status, 'cannot-complete');
    assert.match(result.error?.message ?? '', /there is no printer/);
  });

  test('does not plan again for a branch that the answer does not need', async () => {
    const { agent, model, ends } = sopStage(['@x post it\n@paid charge 5\n@answer final_answer $paid'], {
      ...shop([]),
      post: failing(),
    });
    const { text } = await agent.run({ skill: 'planner' }).result;
    assert.equal(text, 'charge done');
    assert.equal(model.requests.length, 1);
    assert.equal(ends[0]?.variables['x']?.status, 'fail');
  });

  test('may end with the checked plan', async () => {
    const did: string[] = [];
    const plan = '@paid charge 5\n@answer final_answer $paid';
    const { agent, ends } = sopStage([plan], shop(did), { planOnly: true });
    assert.equal((await agent.run({ skill: 'planner' }).result).text, plan);
    assert.equal(ends[0]?.status, 'planned');
    assert.deepEqual(did, []);
  });

  test('runs a plan that is written without any model', async () => {
    const did: string[] = [];
    const { agent, model } = sopStage([], shop(did), {
      script: '@paid charge $input\n@answer final_answer $paid',
      input: 'ten',
    });
    assert.equal((await agent.run({ skill: 'planner' }).result).text, 'charge done');
    assert.deepEqual(did, ['charge ten']);
    assert.equal(model.requests.length, 0);
  });

  test('does not plan at all for a written plan that fails, or that cannot run', async () => {
    const { agent, model } = sopStage([], { post: failing() }, { script: '@a post x' });
    assert.equal(codeOf(await agent.run({ skill: 'planner' }).result), 'skill.failed');
    assert.equal(model.requests.length, 0);
    const wrong = sopStage([], {}, { script: '@a nowhere $b\n@a assign' });
    const { error } = await wrong.agent.run({ skill: 'planner' }).result;
    assert.equal(error?.code, 'usage.bad-input');
    assert.equal((error?.details as { issues: readonly unknown[] }).issues.length, 3);
  });

  test('says what keeps the model from planning', async () => {
    const { agent } = sopStage([{ error: { code: 'model.denied', message: 'The key is wrong.' } }], shop([]));
    assert.equal(codeOf(await agent.run({ skill: 'planner' }).result), 'model.denied');
  });

  test('extends the plan with a later prompt and keeps what it knows', async () => {
    const did: string[] = [];
    let memory: SopMemory | undefined;
    const first = '@paid charge 5\n@answer final_answer $paid';
    const second = '@paid charge 5\n@told mail $paid\n@answer final_answer $told';
    const model = createScriptedModel([first, second]);
    const skills = shop(did);
    const planner = (prompt: string, previous?: SopMemory) =>
      sopPlanner(Object.keys(skills), { prompt, ...(previous === undefined ? {} : { previous }) }, (end) => {
        memory = end.memory;
      });
    const one = agentWith({ ...skills, planner: planner('Charge five.') }, { models: { plan: model } });
    await one.run({ skill: 'planner' }).result;
    const restored = JSON.parse(JSON.stringify(memory)) as SopMemory;
    const two = agentWith(
      { ...skills, planner: planner('Tell them.', restored) },
      { models: { plan: model } },
    );
    assert.equal((await two.run({ skill: 'planner' }).result).text, 'mail done');
    assert.deepEqual(did, ['charge 5', 'mail charge done']);
    const texts = model.requests[1]?.messages.map(({ text }) => text) ?? [];
    assert.deepEqual(texts.slice(0, 2), ['Charge five.', first]);
    assert.match(texts[2] ?? '', /^Tell them\./);
  });

  test('stops at its limits and does not plan again', async () => {
    const lines = Array.from({ length: 5 }, (_, index) => `@a${index} charge ${index}`).join('\n');
    const did: string[] = [];
    const { agent, model } = sopStage([`${lines}\n@answer final_answer $a4`], shop(did), {
      limits: { commands: 3 },
    });
    assert.equal(codeOf(await agent.run({ skill: 'planner' }).result), 'limit.calls');
    assert.ok(did.length <= 3, 'what the limit allows at most');
    assert.equal(model.requests.length, 1);
  });

  test('shows a planner the skills that fit when there are too many', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`tool-${index}`, leaf(() => done())]),
    );
    const model = createScriptedModel(['@a charge 5\n@b final_answer $a']);
    const { allowedSkills: _all, ...planner } = sopPlanner([]) as Record<string, unknown>;
    const agent = agentWith({ ...many, ...shop([]), planner }, { models: { plan: model } });
    assert.equal(
      (await agent.run({ skill: 'planner', input: 'charge the card' }).result).text,
      'charge done',
    );
    const system = model.requests[0]?.system ?? '';
    assert.equal(system.split('\n').filter((line) => line.startsWith('- tool-')).length < 70, true);
    assert.match(system, /- charge /);
    assert.match(system, /There are \d+ more/);
  });
});

describe('the boundary of a session', () => {
  test('is the policy: what it denies does not happen, and the planner learns it', async () => {
    const did: string[] = [];
    const policy: Policy = {
      decide: ({ skill }) =>
        skill === 'charge' ? { decision: 'deny', reason: 'no money is spent.' } : { decision: 'allow' },
    };
    const { agent, model } = sopStage(
      ['@paid charge 5\n@a final_answer $paid', '@told mail free\n@a final_answer $told'],
      shop(did),
      { options: { policy } },
    );
    assert.equal((await agent.run({ skill: 'planner' }).result).text, 'mail done');
    assert.deepEqual(did, ['mail free']);
    assert.match(userTexts(model.requests[1])[1] ?? '', /@paid failed: .*no money is spent/);
  });

  test('is the list of allowed skills, also for a written plan', async () => {
    const did: string[] = [];
    const skills = shop(did);
    const planner = sopPlanner(['mail'], { script: '@paid charge 5' });
    const agent = agentWith({ ...skills, planner });
    const { error } = await agent.run({ skill: 'planner' }).result;
    assert.equal(error?.code, 'usage.bad-input');
    assert.deepEqual(did, []);
  });

  test('lets no value become a command of the shell', async () => {
    const { error } = await agentWith({}).run({
      skill: 'run-sop',
      input: { script: '@name assign x\n@made bash $name' },
    }).result;
    assert.equal(error?.code, 'usage.bad-input');
    assert.match(error?.message ?? '', /Line 2, column 12/);
  });

  test('an approval holds up only what depends on it', async () => {
    const did: string[] = [];
    const store = createMemoryStore();
    const script = '@paid charge 5\n@told mail $paid\n@other report x\n@answer final_answer $told';
    const open = () => {
      const planner = sopPlanner(['charge', 'mail', 'report'], { script });
      return agentWith({ ...shop(did), planner }, { store, policy: askAbout('charge') });
    };
    const first = open();
    const waiting = await first.run({ skill: 'planner' }).result;
    await first.shutdown();
    assert.equal(waiting.status, 'waiting');
    assert.deepEqual(did, ['report x']);
    await using second = open();
    await second.runs.approve(waiting.runId, waiting.question?.id ?? '', { allow: 'once' });
    assert.equal((await second.runs.resume(waiting.runId).result).text, 'mail done');
    assert.deepEqual(did, ['report x', 'charge 5', 'mail charge done']);
  });

  test('a question holds up only what depends on it, and survives a restart', async () => {
    const did: string[] = [];
    const store = createMemoryStore();
    const plan =
      '@who asks which\n@paid charge $who\n@other report x\n@more mail $other\n@answer final_answer $paid $more';
    const open = () => {
      const asks = {
        run: async (_input: Json, scope: { ask(text: string): Promise<Json> }) =>
          done('', await scope.ask('Whom?')),
      };
      return sopStage([plan], { ...shop(did), asks: asks as never }, { options: { store } });
    };
    const first = open();
    const waiting = await first.agent.run({ skill: 'planner' }).result;
    await first.agent.shutdown();
    assert.equal(waiting.status, 'waiting');
    assert.deepEqual(did, ['report x', 'mail report done']);
    await using second = open();
    await second.agent.runs.answer(waiting.runId, 'Ada');
    assert.equal((await second.agent.runs.resume(waiting.runId).result).text, 'charge done mail done');
    assert.deepEqual(did, ['report x', 'mail report done', 'charge Ada']);
    assert.equal(second.model.requests.length, 0, 'the plan was not made again');
  });

  test('however many wait, and however few may run at once, the rest continues', async () => {
    const did: string[] = [];
    const store = createMemoryStore();
    const questions = Array.from({ length: 12 }, (_, index) => `@q${index} asks ${index}`);
    const script = [...questions, '@held edit x', '@other edit y', '@last report $q11'].join('\n');
    const open = () => {
      const asks = leaf(async (input: string, scope) => done('', await scope.ask(`Number ${input}?`)));
      const edit = leaf((input: string) => (did.push(`edit ${input}`), done()), { sequential: true });
      const skills = { ...shop(did), asks, edit };
      const planner = sopPlanner(Object.keys(skills), { script, concurrency: 2 });
      const policy: Policy = {
        decide: ({ skill, input }) =>
          skill === 'edit' && input === 'x'
            ? { decision: 'ask', reason: 'It matters.', rule: 'Skill(edit)' }
            : { decision: 'allow' },
      };
      return agentWith({ ...skills, planner }, { store, policy });
    };
    const first = open();
    const { runId, status } = await first.run({ skill: 'planner' }).result;
    assert.equal(status, 'waiting');
    assert.deepEqual(did, ['edit y']);
    const asked = ofType(await first.runs.events(runId), 'input.requested');
    assert.equal(asked.length, 12);
    await first.shutdown();
    await using second = open();
    await second.runs.answer(runId, 'yes', asked.at(-1)?.id);
    assert.equal((await second.runs.resume(runId).result).status, 'waiting');
    assert.deepEqual(did, ['edit y', 'report yes']);
  });

  test('cancelling in the middle stops what runs and what would come', async () => {
    const did: string[] = [];
    let stopped = false;
    const slow = leaf(async (_input: Json, { signal }) => {
      did.push('slow began');
      return hang(signal).catch((thrown: unknown) => {
        stopped = true;
        throw thrown;
      });
    });
    const { agent } = sopStage(['@a slow x\n@b charge $a\n@answer final_answer $b'], { ...shop(did), slow });
    const handle = agent.run({ skill: 'planner' });
    await until(() => did.length === 1);
    await agent.runs.cancel(handle.id);
    assert.equal((await handle.result).status, 'cancelled');
    await until(() => stopped);
    assert.deepEqual(did, ['slow began']);
  });

  test('a session alone can be cancelled', async () => {
    const did: string[] = [];
    const stop = new AbortController();
    const slow = leaf(async (_input: Json, { signal }) => {
      did.push('slow began');
      setImmediate(() => stop.abort());
      return hang(signal);
    });
    const { agent, ends } = sopStage(
      ['@a slow x\n@b charge $a\n@answer final_answer $b'],
      { ...shop(did), slow },
      { signal: stop.signal },
    );
    assert.equal((await agent.run({ skill: 'planner' }).result).ok, false);
    assert.equal(ends[0]?.status, 'canceled');
    assert.deepEqual(did, ['slow began']);
  });

  test('a plan that gives up cancels what runs, also where its skill continues', async () => {
    const aborted: string[] = [];
    const slow = leaf(async (input: string, { signal }) => {
      signal.addEventListener('abort', () => aborted.push(input));
      return hang(signal);
    });
    const no = leaf(() => done('no'));
    const skills = { slow, no };
    const script = '@a slow one\n@b slow two\n@n no x\n@end cannot_complete $n';
    const agent = agentWith({
      ...skills,
      planner: {
        allowedSkills: Object.keys(skills),
        run: async (_input: Json, scope: Scope) => {
          const { status } = await runSopSession(scope, { script });
          await until(() => aborted.length === 2);
          return done(`${status} ${aborted.join(' ')}`);
        },
      },
    });
    assert.equal((await agent.run({ skill: 'planner' }).result).text, 'cannot-complete one two');
  });

  test('the log shows the plan, its comments, and every step', async () => {
    const { agent } = sopStage(
      [
        '# First the money.\n@paid charge 5\n@x report $paid when not $paid\n@n assign 1\n@a final_answer $paid',
      ],
      shop([]),
    );
    const { runId } = await agent.run({ skill: 'planner' }).result;
    const events = await agent.runs.events(runId);
    const notes = ofType(events, 'note.added').map(({ message }) => message);
    assert.equal(notes[0], 'Plan 1: 4 steps.');
    assert.ok(notes.includes('First the money.'), notes.join('\n'));
    assert.ok(
      notes.some((note) => /^@x was skipped/.test(note)),
      notes.join('\n'),
    );
    assert.ok(notes.includes('@n is set'), notes.join('\n'));
    assert.deepEqual(
      ofType(events, 'frame.started').map(({ skill }) => skill),
      ['planner', 'charge'],
    );
  });
});
