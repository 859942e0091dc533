import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, textOf, valueOf, type Run } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Json } from '../../core/json.ts';

// Names that share prefixes, names that are special to a store or a language, and ordinary names.
const odd = [
  ...[
    'default',
    'a',
    'a/b',
    'a/b/',
    '/a',
    'A',
    'a%',
    'a_',
    'a\u0000',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    'é',
    'e\u0301',
    '\ud800',
    '日本',
    ' ',
    '.',
    '..',
    "a'b",
    'memory',
    'memory/a',
    'answers/a',
    'b/remember',
  ],
];
const plain = Array.from({ length: 176 }, (_, index) => `user-${index}`);

/** Appends its input to the session's memory. */
const remember: Run = async (input, scope) => {
  const before = ((await scope.memory.get('list')) ?? []) as readonly Json[];
  const after = [...before, input];
  scope.memory.set('list', after);
  scope.memory.set(textOf(input), after.length);
  return done('', after);
};

/** Asks two questions and stores the answers. */
const interview: Run = async (_input, scope) => {
  const name = await scope.ask(`Who is in ${scope.run.session}?`);
  const age = await scope.ask(`How old is ${textOf(name)}?`);
  scope.memory.set('heard', [name, age]);
  return done('', [scope.run.session, name, age]);
};

for (const kind of ['memory', 'SQLite'] as const) {
  const sessions = kind === 'memory' ? [...odd, ...plain] : odd;

  describe(`${sessions.length} sessions at once, in ${kind}`, () => {
    test('remember each their own', async () => {
      using folder = tree();
      await using agent = agentWith({ remember }, kind === 'SQLite' ? { store: folder.at('s.db') } : {});
      await Promise.all(
        sessions.map(async (session, index) => {
          for (const round of [1, 2]) {
            const own = [1, 2].slice(0, round).map((number) => `${index}.${number}`);
            const run = agent.run({ skill: 'remember', session, input: `${index}.${round}` });
            assert.deepEqual(valueOf(await run.result), own, JSON.stringify(session));
          }
        }),
      );
    });

    test('each receive only their own question and answer', async () => {
      using folder = tree();
      await using agent = agentWith({ interview }, kind === 'SQLite' ? { store: folder.at('s.db') } : {});
      const some = sessions.slice(0, 60);
      const ends = await Promise.all(
        some.map(async (session, index) => {
          const { runId, question } = await agent.run({ skill: 'interview', session }).result;
          assert.equal(question?.text, `Who is in ${session}?`);
          await agent.runs.answer(runId, `person ${index}`);
          const next = await agent.runs.resume(runId).result;
          assert.equal(next.question?.text, `How old is person ${index}?`);
          await agent.runs.answer(runId, index);
          return valueOf(await agent.runs.resume(runId).result);
        }),
      );
      assert.deepEqual(
        ends,
        some.map((session, index) => [session, `person ${index}`, index]),
      );
      for (const session of some) {
        const [only, ...others] = await agent.runs.list({ session });
        assert.deepEqual([only?.session, others.length], [session, 0], JSON.stringify(session));
      }
    });
  });
}

describe('prompts of many users', () => {
  const users = plain.slice(0, 30);
  const contextOf = (sessionId: string): { readonly context: { readonly sessionId: string } } => ({
    context: { sessionId },
  });

  test('answer each their own question, also after a restart, and never that of another one', async () => {
    using folder = tree();
    const store = folder.at('s.db');
    const first = agentWith({ interview }, { store });
    const asked = await Promise.all(users.map((user) => first.executePrompt('/interview', contextOf(user))));
    assert.deepEqual(
      asked.map(({ question }) => question?.text),
      users.map((user) => `Who is in ${user}?`),
    );
    const stranger = await first.executePrompt('person 5', contextOf('somebody else'));
    assert.deepEqual(
      [stranger.status, codeOf(stranger), stranger.question],
      ['failed', 'skill.not-found', undefined],
    );
    await first.shutdown();

    await using second = agentWith({ interview }, { store });
    const named = await Promise.all(
      users.map((user, index) => second.executePrompt(`person ${index}`, contextOf(user))),
    );
    assert.deepEqual(
      named.map(({ runId, question }) => [runId, question?.text]),
      asked.map(({ runId }, index) => [runId, `How old is person ${index}?`]),
    );
    assert.equal(codeOf(await second.executePrompt('41', contextOf('somebody else'))), 'skill.not-found');
    const ends = await Promise.all(
      users.map((user, index) => second.executePrompt(`${index}`, contextOf(user))),
    );
    assert.deepEqual(
      ends.map((end) => valueOf(end)),
      users.map((user, index) => [user, `person ${index}`, `${index}`]),
    );
    assert.deepEqual(await second.runs.list({ status: ['waiting'] }), []);
  });

  test('at once in one session: the first answers its question, and the others are turns of their own', async () => {
    const effects: string[] = [];
    const ask: Run = async (_input, scope) => {
      const answer = textOf(await scope.ask('Which?'));
      await scope.step('use', () => effects.push(answer));
      return done(answer);
    };
    await using agent = agentWith({ ask, echo: (input) => done(textOf(input)) });
    const { runId } = await agent.executePrompt('/ask', contextOf('one'));
    const prompts = ['green', ...Array.from({ length: 9 }, (_, index) => `/echo number ${index}`)];
    const results = await Promise.all(prompts.map((prompt) => agent.executePrompt(prompt, contextOf('one'))));
    assert.deepEqual(
      results.map(({ text }) => text),
      ['green', ...prompts.slice(1).map((prompt) => prompt.replace('/echo ', ''))],
    );
    assert.equal(results[0]?.runId, runId);
    assert.deepEqual(effects, ['green']);
    const again = await Promise.all(
      ['red', 'blue'].map((prompt) => agent.executePrompt(prompt, contextOf('one'))),
    );
    assert.deepEqual(again.map(codeOf), ['skill.not-found', 'skill.not-found']);
    assert.deepEqual(effects, ['green']);
  });
});
