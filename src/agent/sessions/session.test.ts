import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { codeThrown } from '../../../test/support/code-thrown.ts';
import { agentWith, askAbout, done, settled, textOf, yesPolicy } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { isAgentError, type AgentError } from '../../core/error.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';

const greet = defineSkill({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string(), times: z.number().default(1) }),
  run: ({ name, times }) => done(`Hello ${name}`.repeat(times)),
});

async function thrownBy(work: Promise<unknown>): Promise<AgentError> {
  const thrown: unknown = await settled(
    work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  assert.ok(isAgentError(thrown), String(thrown));
  return thrown;
}

describe('the outcome of a skill', () => {
  test('is its text, and its value when it declares an output', async () => {
    await using agent = agentWith({
      plain: () => done('a text', { a: 1 }),
      declared: { output: z.object({ a: z.number() }), run: () => done('a text', { a: 1 }) },
    });
    const session = agent.session();
    assert.equal(await session.skill('plain'), 'a text');
    assert.deepEqual(await session.skill('declared'), { a: 1 });
  });

  test('is what the caller wants of it, as zod makes it', async () => {
    await using agent = agentWith({ when: () => done('', { at: '2026-03-01T00:00:00Z', extra: true }) });
    const result = z.object({ at: z.coerce.date(), count: z.number().default(3) });
    const value = await agent.session().skill('when', { result });
    assert.deepEqual(value, { at: new Date('2026-03-01T00:00:00Z'), count: 3 });
    assert.equal(value.at.getUTCFullYear() + value.count, 2029);
  });

  test('is what the caller wants of it, as a JSON Schema says', async () => {
    await using agent = agentWith({ count: () => done('', { count: 4 }) });
    const result = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
    assert.deepEqual(await agent.session().skill('count', { result }), { count: 4 });
  });

  test('is not a result when it gave none, or one that does not fit', async () => {
    await using agent = agentWith({
      silent: () => done('a text'),
      wrong: () => done('', { count: 'four' }),
      declared: { output: z.number(), run: () => done('a text') },
    });
    const session = agent.session();
    const result = z.object({ count: z.number() });
    const late = z.object({
      count: z.string().refine((text) => Promise.resolve(text === 'five'), 'say five'),
    });
    assert.equal(await codeThrown(session.skill('silent', { result })), 'skill.no-result');
    assert.equal(await codeThrown(session.skill('declared')), 'skill.no-result');
    assert.match(
      (await thrownBy(session.skill('wrong', { result }))).message,
      /count must be a number, not a string/,
    );
    assert.match((await thrownBy(session.skill('wrong', { result: late }))).message, /say five/);
    const schema = { type: 'object', properties: { count: { type: 'number' } } };
    assert.equal(await codeThrown(session.skill('wrong', { result: schema })), 'skill.no-result');
  });

  test('is refused beforehand when what is wanted is not a schema', async () => {
    let calls = 0;
    await using agent = agentWith({ count: () => done(`${++calls}`) });
    const older = { safeParse: () => ({ success: true }) } as unknown as z.ZodType;
    for (const result of [older, { $ref: '#/nowhere' }, 5 as never, [] as never]) {
      assert.equal(await codeThrown(agent.session().skill('count', { result })), 'usage.bad-input');
    }
    assert.equal(calls, 0);
  });
});

describe('the request that a skill receives', () => {
  /** A skill that returns its request. */
  const echo = async (_input: unknown, { request: { overrides }, run: { session, depth } }: Scope) => {
    const judge = async (value: Json): Promise<Json> => {
      try {
        return (await overrides.check?.(value)) ?? null;
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    const faults = [await judge({ n: 1 }), await judge({ n: 2 })];
    return done('', {
      ticks: overrides.maxTicks ?? 0,
      result: overrides.result ?? null,
      faults,
      session,
      depth,
    });
  };

  test('the schema, what only the caller can check, the steps and the session', async () => {
    await using agent = agentWith({ echo });
    const even = z
      .object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') })
      .or(z.looseObject({ ticks: z.number() }));
    const value = await agent.session('ann').skill('echo', { result: even, maxTicks: 30 });
    assert.ok('ticks' in value);
    const { ticks, session, faults, result } = value;
    assert.deepEqual([ticks, session], [30, 'ann']);
    assert.ok(isJsonObject(result) && Array.isArray(result['anyOf']));
    assert.ok(Array.isArray(faults));
    assert.match(String(faults[0]), /^Invalid result: n: must be even/);
    assert.deepEqual(faults[1], { n: 2 });
  });

  test('more steps than usual where more are asked for, and never fewer', async () => {
    await using agent = agentWith({ quick: () => done() }, { limits: { steps: 12 } });
    const stepsWith = async (maxTicks: number): Promise<number> => {
      await agent.session(`s${maxTicks}`).skill('quick', { maxTicks });
      const run = (await agent.runs.list()).find(({ session }) => session === `s${maxTicks}`);
      const [started] = await agent.runs.events(run?.id ?? '');
      return started?.type === 'run.started' ? started.limits.steps : 0;
    };
    assert.equal(await stepsWith(40), 40);
    assert.equal(await stepsWith(3), 12);
    for (const maxTicks of [0, -1, 1.5, Number.NaN]) {
      assert.equal(await codeThrown(agent.session().skill('quick', { maxTicks })), 'usage.bad-input');
    }
  });

  test('the default session unless one is named', async () => {
    await using agent = agentWith({ echo });
    for (const none of [undefined, null, '']) assert.equal(agent.session(none).id, 'default');
    assert.equal(agent.session('bob').id, 'bob');
    assert.throws(() => agent.session(7 as unknown as string), { code: 'usage.bad-input' });
  });
});

describe('a call without a result', () => {
  test('throws what the skill failed with, and in which run', async () => {
    const error = {
      code: 'skill.failed',
      message: 'No paper.',
      hint: 'Add some.',
      details: { tray: 2 },
    } as const;
    await using agent = agentWith({ print: () => ({ status: 'failed', text: '', error }) });
    const thrown = await thrownBy(agent.session().skill('print'));
    const [run] = await agent.runs.list();
    assert.deepEqual(
      [thrown.code, thrown.message, thrown.hint, thrown.details],
      ['skill.failed', 'No paper.', 'Add some.', { tray: 2, runId: run?.id }],
    );
  });

  test('begins no run for a name that there is not, and names the nearest', async () => {
    await using agent = agentWith({ greeting: () => done() });
    const thrown = await thrownBy(agent.session().skill('greetin'));
    assert.equal(thrown.code, 'skill.not-found');
    assert.match(thrown.hint ?? '', /"greeting"/);
    assert.deepEqual(await agent.runs.list(), []);
  });

  test('begins no run with an aborted signal, and is ended by a later one', async () => {
    const begun = Promise.withResolvers<undefined>();
    await using agent = agentWith({
      wait: (_input, { signal }) => {
        begun.resolve(undefined);
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve(done());
          });
        });
      },
    });
    const session = agent.session();
    assert.equal(await codeThrown(session.skill('wait', { signal: AbortSignal.abort() })), 'usage.cancelled');
    assert.deepEqual(await agent.runs.list(), []);
    const stop = new AbortController();
    const work = thrownBy(session.skill('wait', { signal: stop.signal }));
    await begun.promise;
    stop.abort();
    assert.equal((await work).code, 'usage.cancelled');
  });

  test('refuses arguments that do not fit before anything runs', async () => {
    await using agent = agentWith({});
    agent.skills.register(greet);
    const thrown = await thrownBy(agent.session().skill('greet', { args: { name: 7 } }));
    assert.equal(thrown.code, 'usage.bad-input');
    assert.match(thrown.message, /name/);
  });

  test('of an agent that was shut down fails with that reason', async () => {
    const agent = agentWith({ quick: () => done() });
    await agent.session().skill('quick');
    await agent.shutdown();
    assert.equal(await codeThrown(agent.session().skill('quick')), 'usage.bad-input');
  });
});

describe('a call that waits for a person', () => {
  test('throws the question, and continues in the same run after the decision', async () => {
    await using agent = agentWith({ risky: () => done('done it') }, { policy: askAbout('risky') });
    const thrown = await thrownBy(agent.session().skill('risky'));
    assert.equal(thrown.code, 'policy.waiting');
    const { details } = thrown;
    assert.ok(isJsonObject(details) && isJsonObject(details['question']));
    const [runId, questionId] = [textOf(details['runId']), textOf(details['question']['id'])];
    assert.match(thrown.hint ?? '', new RegExp(`approve\\('${runId}'.*resume\\('${runId}'\\)`));
    await agent.runs.approve(runId, questionId, { allow: 'once' });
    assert.equal((await agent.runs.resume(runId).result).text, 'done it');
  });

  test('throws what it asks, and how to answer', async () => {
    await using agent = agentWith({
      ask: async (_input, scope) => done(textOf(await scope.ask('Which tray?'))),
    });
    const thrown = await thrownBy(agent.session().skill('ask'));
    assert.equal(thrown.code, 'policy.waiting');
    assert.match(thrown.message, /Which tray\?/);
    assert.match(thrown.hint ?? '', /agent\.runs\.answer\(/);
  });

  test('can be resumed although its skill was never registered', async () => {
    await using agent = agentWith({}, { policy: askAbout('greet') });
    const thrown = await thrownBy(agent.session().skill(greet, { args: { name: 'Ann' } }));
    const { details } = thrown;
    assert.ok(isJsonObject(details) && isJsonObject(details['question']));
    const runId = textOf(details['runId']);
    await agent.runs.approve(runId, textOf(details['question']['id']), { allow: 'once' });
    assert.equal((await agent.runs.resume(runId).result).text, 'Hello Ann');
  });
});

describe('calls beside and inside each other', () => {
  test('a skill that calls the session from its own code is not waited for by itself', async () => {
    await using agent = agentWith({
      inner: () => done('from within'),
      outer: async () => done(await agent.session('ann').skill('inner')),
    });
    assert.equal(await settled(agent.session('ann').skill('outer')), 'from within');
  });

  test('each is a run of its own, with nothing of the other', async () => {
    await using agent = agentWith({
      frames: (_input, { run: { id: runId, depth } }) => done(`${runId} ${depth}`),
    });
    const session = agent.session('ann');
    const [a, b] = await Promise.all([session.skill('frames'), session.skill('frames')]);
    assert.notEqual(a, b);
    assert.match(a, / 1$/);
  });
});

describe('a command of a session', () => {
  test('runs in the workspace, and how it ended is for the reader', async () => {
    using files = tree({ 'a.txt': 'alpha\n' });
    await using agent = agentWith({}, { workspace: files.path, policy: yesPolicy });
    const session = agent.session('ann');
    const { exitCode, stdout, stderr } = await session.shell('cat a.txt; echo no >&2; exit 3');
    assert.deepEqual([exitCode, stdout, stderr], [3, 'alpha\n', 'no\n']);
    const [run] = await agent.runs.list();
    assert.deepEqual([run?.skill, run?.session], ['bash', 'ann']);
  });

  test('throws when it is refused, waits for a person, is stopped or cannot begin', async () => {
    using files = tree({});
    const options = { workspace: files.path };
    await using careful = agentWith({}, { ...options, policy: askAbout('bash') });
    assert.equal(await codeThrown(careful.session().shell('true')), 'policy.waiting');
    await using strict = agentWith({}, { ...options, permissions: { deny: ['Bash'] } });
    assert.equal(await codeThrown(strict.session().shell('true')), 'policy.denied');
    await using free = agentWith({}, { ...options, policy: yesPolicy });
    const session = free.session();
    assert.equal(await codeThrown(session.shell('sleep 30', { timeoutMs: 50 })), 'limit.time');
    assert.equal(await codeThrown(session.shell('true', { signal: AbortSignal.abort() })), 'usage.cancelled');
    assert.equal(await codeThrown(session.shell('')), 'usage.bad-input');
    free.skills.unregister('bash');
    assert.equal(await codeThrown(session.shell('true')), 'skill.not-found');
  });

  test('does not take the word of a skill that says nothing of a command', async () => {
    await using agent = agentWith({ bash: () => done('fine') }, { policy: yesPolicy });
    assert.equal(await codeThrown(agent.session().shell('true')), 'skill.no-result');
  });
});
