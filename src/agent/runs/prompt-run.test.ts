import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { z, type ZodType } from 'zod';
import {
  agentWith,
  codeOf,
  done,
  ofType,
  settled,
  textOf,
  type TestSkill,
} from '../../../test/support/kernel.ts';
import { pause } from '../../core/async.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Json } from '../../core/json.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import type { PromptOptions } from '../prompt-options.ts';

const echo: TestSkill = { run: (input) => done(JSON.stringify(input)) };
const asks: TestSkill = {
  run: async (input, scope) => done(`${textOf(input)}: ${textOf(await scope.ask('Which way?'))}`),
};

/** Creates a skill with a declared input, which it returns. */
function echoSkill(input: ZodType): TestSkill {
  return { input: input as never, run: (given: Json) => done(JSON.stringify(given)) };
}

function inSession(sessionId: string, more: PromptOptions = {}): PromptOptions {
  return { ...more, context: { ...more.context, sessionId } };
}

describe('a prompt for a skill that is named', () => {
  test('is what the skill is given', async () => {
    await using agent = agentWith({ echo });
    assert.equal((await agent.executePrompt('hi', { skillName: 'echo' })).text, '"hi"');
  });

  test('is added to the other arguments if the skill takes it and no value is given', async () => {
    const open = echoSkill(z.looseObject({ a: z.number() }));
    const named = echoSkill(z.object({ a: z.number(), input: z.string() }));
    await using agent = agentWith({ echo, open, named });
    const run = async (skillName: string, args: Record<string, Json>): Promise<string> =>
      (await agent.executePrompt('hi', { skillName, args })).text;
    assert.equal(await run('echo', { a: 1 }), '{"a":1,"input":"hi"}');
    assert.equal(await run('echo', { input: 'mine' }), '{"input":"mine"}');
    assert.equal(await run('named', { a: 1 }), '{"a":1,"input":"hi"}');
    assert.equal(await run('open', { a: 1 }), '{"a":1}');
    for (const [prompt, text] of [
      ['/echo', '{"a":1}'],
      ['/echo hi', '{"a":1,"input":"hi"}'],
      ['/open hi', '{"a":1,"input":"/open hi"}'],
    ] as const)
      assert.equal((await agent.executePrompt(prompt, { skillName: 'echo', args: { a: 1 } })).text, text);
  });

  test('that is unknown fails with the nearest names', async () => {
    await using agent = agentWith({ echo });
    const result = await agent.executePrompt('hi', { skillName: 'ecko' });
    assert.equal(codeOf(result), 'skill.not-found');
    assert.match(result.error?.hint ?? '', /echo/);
  });
});

describe('wrong calls', () => {
  test('are data', async () => {
    await using agent = agentWith({ echo });
    assert.equal(codeOf(await agent.executePrompt('')), 'usage.bad-input');
    assert.equal(codeOf(await agent.executePrompt(3 as never)), 'usage.bad-input');
    const odd = { context: { sessionId: 5 as never } };
    assert.equal(codeOf(await agent.executePrompt('/echo', odd)), 'usage.bad-input');
    const aborted = await agent.executePrompt('/echo', { signal: AbortSignal.abort() });
    assert.equal(aborted.status, 'cancelled');
  });
});

describe('a question in a session', () => {
  test('is answered by the next prompt, once, and the run continues as itself', async () => {
    await using agent = agentWith({ asks, echo });
    const first = await agent.executePrompt('/asks north', inSession('s'));
    assert.equal(first.status, 'waiting');
    assert.equal(first.text, 'Which way?');
    const second = await agent.executePrompt('to the left', inSession('s'));
    assert.deepEqual([second.runId, second.text], [first.runId, 'north: to the left']);
    assert.equal(codeOf(await agent.executePrompt('to the right', inSession('s'))), 'skill.not-found');
  });

  test('is answered after a restart', async () => {
    using folder = tree({});
    const store = join(folder.path, 'runs.db');
    const before = agentWith({ asks }, { store });
    const { runId } = await before.executePrompt('/asks north', inSession('s'));
    await before.shutdown();
    await using agent = agentWith({ asks }, { store });
    const after = await agent.executePrompt('left', inSession('s'));
    assert.deepEqual([after.runId, after.text], [runId, 'north: left']);
  });

  test('is not answered from another session, and the run that asked first is answered first', async () => {
    await using agent = agentWith({ asks });
    await agent.executePrompt('/asks one', inSession('s'));
    await pause(2); // the log's clock has a resolution of one millisecond
    await agent.executePrompt('/asks two', inSession('s'));
    await agent.executePrompt('/asks three', inSession('t'));
    assert.equal((await agent.executePrompt('x', inSession('s'))).text, 'one: x');
    assert.equal((await agent.executePrompt('y', inSession('t'))).text, 'three: y');
    assert.equal((await agent.executePrompt('z', inSession('s'))).text, 'two: z');
  });

  test('is passed by with a name, and dropped with /cancel', async () => {
    await using agent = agentWith({ asks, echo });
    const { runId } = await agent.executePrompt('/asks north', inSession('s'));
    assert.equal((await agent.executePrompt('/echo 1', inSession('s'))).text, '"1"');
    assert.equal((await agent.executePrompt('2', { ...inSession('s'), skillName: 'echo' })).text, '"2"');
    const dropped = await agent.executePrompt('/cancel', inSession('s'));
    assert.deepEqual([dropped.runId, dropped.status], [runId, 'cancelled']);
    assert.equal(codeOf(await agent.executePrompt('/cancel', inSession('s'))), 'usage.bad-input');
  });

  test('takes an option by its number, and says so when an answer does not fit', async () => {
    const schema = { type: 'integer', minimum: 1 };
    await using agent = agentWith({
      picks: {
        run: async (_input, scope) => done(textOf(await scope.ask({ text: '?', options: ['a', 'b'] }))),
      },
      counts: { run: async (_input, scope) => done(JSON.stringify(await scope.ask({ text: '#?', schema }))) },
    });
    await agent.executePrompt('/picks');
    assert.equal((await agent.executePrompt('2')).text, 'b');
    await agent.executePrompt('/counts');
    const wrong = await agent.executePrompt('many');
    assert.deepEqual([wrong.status, codeOf(wrong)], ['waiting', 'usage.bad-input']);
    assert.equal((await agent.executePrompt('7')).text, '7');
  });

  test('is asked at once where the program can', async () => {
    const questions: string[] = [];
    const lines: string[] = [];
    const twice: TestSkill = {
      run: async (_input, scope) => {
        scope.note('begins');
        const one = textOf(await scope.ask('one?'));
        scope.note('goes on');
        return done(one + textOf(await scope.ask('two?')));
      },
    };
    const io = {
      inputReader: async ({ text }: { text: string }) => {
        questions.push(text);
        return `<${text}>`;
      },
      outputWriter: (line: string) => void lines.push(line),
    };
    await using agent = agentWith({ twice }, { io });
    assert.equal((await settled(agent.executePrompt('/twice'))).text, '<one?><two?>');
    assert.deepEqual(questions, ['one?', 'two?']);
    assert.deepEqual(lines, ['begins', 'goes on']);
    const silent = { context: { io: {} } };
    assert.equal((await agent.executePrompt('/twice', silent)).status, 'waiting');
  });
});

describe('turns of a session', () => {
  test('run one after the other, those of others beside', async () => {
    const log: string[] = [];
    const releases = new Map<string, () => void>();
    const slow: TestSkill = {
      run: async (input) => {
        const name = textOf(input);
        log.push(`+${name}`);
        await new Promise<void>((resolve) => releases.set(name, resolve));
        log.push(`-${name}`);
        return done(name);
      },
    };
    await using agent = agentWith({ slow });
    const open = async (name: string): Promise<void> => {
      while (!releases.has(name)) await new Promise((resolve) => setImmediate(resolve));
      releases.get(name)?.();
    };
    const turns = ['a', 'b'].map((name) => agent.executePrompt(`/slow ${name}`, inSession('s')));
    const other = agent.executePrompt('/slow c', inSession('t'));
    await open('c');
    await settled(other);
    assert.deepEqual(
      log.filter((line) => line.endsWith('b')),
      [],
    );
    await open('a');
    await open('b');
    await settled(Promise.all(turns));
    assert.deepEqual(
      log.filter((line) => !line.endsWith('c')),
      ['+a', '-a', '+b', '-b'],
    );
  });

  test('that are cancelled while they wait in the queue do not begin, and are not waited for', async () => {
    const begun = Promise.withResolvers<undefined>();
    const free = Promise.withResolvers<undefined>();
    const slow: TestSkill = {
      run: async () => {
        begun.resolve(undefined);
        await free.promise;
        return done('first');
      },
    };
    await using agent = agentWith({ slow, echo });
    const first = agent.executePrompt('/slow', inSession('s'));
    await begun.promise;
    const controller = new AbortController();
    const second = agent.executePrompt('/echo', inSession('s', { signal: controller.signal }));
    controller.abort();
    assert.equal((await settled(second)).status, 'cancelled');
    free.resolve(undefined);
    assert.equal((await settled(first)).text, 'first');
    assert.equal((await agent.runs.list({ session: 's' })).length, 1);
  });

  test('hear what was said before, and those of others do not', async () => {
    const hears: TestSkill = {
      run: async (_input, scope) =>
        done((await scope.history(1_000)).map(({ role, text }) => `${role}:${text}`).join('|')),
    };
    await using agent = agentWith({ echo, hears });
    await agent.executePrompt('/echo 1', inSession('s'));
    assert.equal((await agent.executePrompt('/hears', inSession('s'))).text, 'user:/echo 1|assistant:"1"');
    assert.equal((await agent.executePrompt('/hears', inSession('t'))).text, '');
    assert.equal((await agent.run({ skill: 'hears', session: 's' }).result).text, '');
    await agent.clearSessionMemory('s');
    assert.equal((await agent.executePrompt('/hears', inSession('s'))).text, '');
  });

  test('belong to the user who began the session', async () => {
    await using agent = agentWith({ echo });
    const as = (id?: string): PromptOptions => ({
      context: { sessionId: 's', ...(id === undefined ? {} : { user: { id } }) },
    });
    assert.equal((await agent.executePrompt('/echo 1', as('ann'))).ok, true);
    assert.equal(codeOf(await agent.executePrompt('/echo 1', as('bob'))), 'policy.denied');
    assert.equal(codeOf(await agent.executePrompt('/echo 1', as())), 'policy.denied');
    assert.equal((await agent.executePrompt('/echo 1', as('ann'))).ok, true);
  });
});

describe('the memory of a session', () => {
  const counts: TestSkill = {
    run: async (_input, scope) => {
      const count = Number((await scope.memory.get('n')) ?? 0) + 1;
      scope.memory.set('n', count);
      return done(String(count));
    },
  };

  test('is a map of its own, or the one that the caller gives', async () => {
    await using agent = agentWith({ counts });
    const run = async (options: PromptOptions): Promise<string> =>
      (await agent.executePrompt('/counts', options)).text;
    assert.equal(await run(inSession('s')), '1');
    assert.equal(await run(inSession('s')), '2');
    assert.equal(await run(inSession('__proto__')), '1');
    assert.equal(await run({ context: { user: { sessionToken: 'secret-token' } } }), '1');
    assert.equal(await run({}), '1');
    const own = new Map<string, Json>([['counts/n', 41]]);
    assert.equal(await run({ context: { sessionId: 's', sessionMemory: own } }), '42');
    assert.equal(own.get('counts/n'), 42);
    assert.equal(await agent.getSessionMemory('s').get('counts/n'), 2);
    const ids = await agent.getActiveSessions();
    assert.equal(ids.length, 3);
    assert.equal(JSON.stringify(await agent.runs.list()).includes('secret-token'), false);
  });

  test('goes with the session, and its waiting question too', async () => {
    await using agent = agentWith({ counts, asks });
    await agent.executePrompt('/counts', inSession('s'));
    await agent.executePrompt('/asks', inSession('s'));
    assert.equal(
      (await agent.getSessionStats()).sessions.find((one) => one.sessionId === 's')?.isWaiting,
      true,
    );
    assert.equal(await agent.deleteSession('s'), true);
    assert.equal(await agent.hasSession('s'), false);
    assert.equal(await agent.deleteSession('s'), false);
    assert.deepEqual(await agent.runs.list({ status: ['waiting'] }), []);
    assert.equal((await agent.executePrompt('/counts', inSession('s'))).text, '1');
  });
});

test('a summary is brought up to date with each turn and precedes the next', async () => {
  const model = createScriptedModel(['Counting began.', 'They went on.', 'unused']);
  const hears: TestSkill = { run: async (_input, scope) => done(JSON.stringify(await scope.history(2_000))) };
  await using agent = agentWith({ echo, hears }, { models: model, enableSummary: true });
  const first = await agent.executePrompt('/echo 1', inSession('s'));
  assert.equal(first.usage.inputTokens > 0 || first.usage.outputTokens >= 0, true);
  const second = await agent.executePrompt('/hears', inSession('s'));
  assert.match(second.text, /Counting began\./);
  const [, asked] = model.requests;
  assert.match(JSON.stringify(asked?.messages), /Counting began\./);
  const events = await agent.runs.events(second.runId);
  assert.equal(ofType(events, 'model.ended').length, 1);
  const alone = await agent.run({ skill: 'echo', session: 's' }).result;
  assert.equal(ofType(await agent.runs.events(alone.runId), 'model.ended').length, 0);
});
