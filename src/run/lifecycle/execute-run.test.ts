import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  agentWith,
  askAbout,
  done,
  ofType,
  said,
  settled,
  textOf,
  until,
  type Run,
} from '../../../test/support/kernel.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { RunEvent } from '../../core/event.ts';
import { collect } from '../../core/model.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';

/** Returns one line for each event: position, type, number of the frame, and a distinguishing detail. */
function linesOf(events: readonly RunEvent[]): readonly string[] {
  const frames = new Map([['', '-']]);
  return events.map((event) => {
    if (event.type === 'frame.started') frames.set(event.frameId, `f${frames.size}`);
    const facts = 'key' in event ? [event.key.replace(/[0-9a-f]{16}/, '#')] : [];
    if ('skill' in event) facts.push(event.skill);
    if ('output' in event) facts.push(said(event.output));
    if ('error' in event && event.error !== undefined) facts.push(event.error.code);
    if ('message' in event) facts.push(event.message);
    if ('answer' in event) facts.push(JSON.stringify(event.answer));
    if ('questions' in event) facts.push(String(event.questions.length));
    return [event.seq, event.type, frames.get(event.frameId), ...facts].join(' ');
  });
}

test('the log of a rich run reads from top to bottom', async () => {
  const top: Run = async (_input, scope) => {
    scope.memory.set('k', await scope.step('count', () => 1));
    const reply = await collect(
      scope.model('fast').stream({ messages: [{ role: 'user', text: 'hi' }] }, scope.signal),
    );
    const nobody = await scope.call('nobody', null);
    const again = await scope.call('top', null);
    const bad = await scope.call('bad', null);
    const careful = await scope.call('careful', null);
    scope.note('nearly done');
    return done(
      [reply.text, nobody, again, bad, careful]
        .map((one) => (typeof one === 'string' ? one : said(one)))
        .join(' '),
    );
  };
  await using agent = agentWith(
    {
      top,
      bad: () => {
        throw new Error('no');
      },
      careful: {
        allowedSkills: [],
        run: async (_input, scope) => done(`asked ${textOf(await scope.ask('who?'))}`),
      },
    },
    { models: { fast: createScriptedModel(['hello']) }, policy: askAbout('careful') },
  );
  const { runId, question } = await settled(agent.run({ skill: 'Top' }).result);
  await agent.runs.approve(runId, question?.id ?? '', { allow: 'once' });
  await settled(agent.runs.resume(runId).result);
  await agent.runs.answer(runId, 'me');
  const result = await settled(agent.runs.resume(runId).result);
  assert.equal(result.text, 'hello skill.not-found limit.cycle skill.failed asked me');
  assert.deepEqual(linesOf(await agent.runs.events(runId)), [
    '1 run.started - Top',
    '2 skill.selected - top',
    '3 frame.started f1 top:#:1 top',
    '4 step.started f1 step:count',
    '5 step.ended f1 step:count',
    '6 model.started f1 model:#:1',
    '7 model.ended f1 model:#:1',
    '8 call.refused f1 nobody:#:1 nobody skill.not-found',
    '9 call.refused f1 top:#:1 top limit.cycle',
    '10 frame.started f2 bad:#:1 bad',
    '11 frame.ended f2 skill.failed',
    '12 approval.requested f1 approve:careful:#:1',
    '13 run.waiting - 1',
    '14 run.resumed -',
    '15 approval.resolved f1 approve:careful:#:1 {"allow":"once"}',
    '16 frame.started f3 careful:#:1 careful',
    '17 input.requested f3 ask:#:1',
    '18 run.waiting - 1',
    '19 run.resumed -',
    '20 input.resolved f3 ask:#:1 "me"',
    '21 frame.ended f3 asked me',
    '22 note.added f1 note:#:1 nearly done',
    '23 frame.ended f1 hello skill.not-found limit.cycle skill.failed asked me',
    '24 run.ended - hello skill.not-found limit.cycle skill.failed asked me',
  ]);
});

test('a run is not taken back from a process that answered it while it was being suspended', async () => {
  const store = createMemoryStore();
  const [closing, release, opened] = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>());
  let paid = 0;
  const top = (open: () => Promise<object>): Run => {
    return async (_input, scope) => {
      const one = scope.ask('one').then(() => scope.step('pay', () => ++paid));
      const two = scope.resources.open('slow', 'run', open).then(() => scope.ask('two'));
      await Promise.all([one, two]);
      return done('both');
    };
  };
  const close = (): Promise<undefined> | undefined => {
    closing?.resolve(undefined);
    return release?.promise;
  };
  await using first = agentWith({ top: top(async () => ({ close })) }, { store });
  await using second = agentWith(
    {
      top: top(async () => {
        await opened?.promise;
        return {};
      }),
    },
    { store },
  );
  const run = first.run({ skill: 'top' });
  await settled(closing?.promise ?? Promise.reject(new Error('no gate')));
  await second.runs.answer(run.id, 'A');
  await second.runs.answer(run.id, 'B');
  const taken = second.runs.resume(run.id);
  await until(() => paid === 1);
  release?.resolve(undefined); // the second answer is still stored, so the first agent sees that it can continue
  await new Promise((resolve) => setTimeout(resolve, 50));
  opened?.resolve(undefined);
  const both = await settled(Promise.all([run.result, taken.result]));
  assert.deepEqual(
    both.map(({ status, text }) => `${status} ${text}`),
    ['done both', 'done both'],
  );
  assert.equal(paid, 1);
  assert.equal(ofType(await first.runs.events(run.id), 'run.resumed').length, 1);
});

test('a run keeps the skill that was selected although its name means another one by now', async () => {
  const paid: string[] = [];
  const pays = (name: string): Run => {
    return async (_input, scope) => {
      await scope.step('pay', () => paid.push(name));
      return done(`${name} ${textOf(await scope.ask('x'))}`);
    };
  };
  await using agent = agentWith({ pay: pays('pay') });
  const { runId } = await settled(agent.run({ skill: 'pay-function' }).result);
  agent.skills.register(
    defineSkill({ name: 'pay-function', description: 'Pays otherwise.', run: pays('other') }),
  );
  await agent.runs.answer(runId, 'A');
  assert.equal((await settled(agent.runs.resume(runId).result)).text, 'pay A');
  assert.deepEqual(paid, ['pay']);
});
