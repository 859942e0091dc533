import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, leaveHome } from '../../../test/support/command.ts';
import { agentWith, askAbout, done, textOf, type Run } from '../../../test/support/kernel.ts';
import { potAgent, potFolder } from '../../../test/support/pots.ts';
import { tree } from '../../../test/support/tree.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Invocation } from '../command.ts';
import { createBill } from '../commands/chat/context.ts';
import type { Chat } from '../commands/chat/context.ts';
import { takeTurn } from '../commands/chat/turn.ts';
import { runInBetween } from '../commands/run/run.ts';
import { waitingLines } from './questions.ts';
import { onInterrupt } from './interrupt.ts';
import { printOutcome } from './print-outcome.ts';

leaveHome();

interface TestTerminal {
  readonly invocation: Invocation;
  readonly out: () => string;
  readonly err: () => string;
}

/** Creates a terminal in a folder, at which these lines are typed. */
function typing(cwd: string, lines: readonly string[]): TestTerminal {
  const [left, output] = [[...lines], { out: '', err: '' }];
  const invocation: Invocation = {
    flags: { json: false, quiet: false, cwd, skills: [], only: false, safe: false, yes: false },
    own: {},
    lists: {},
    args: [],
    given: [],
    terminal: {
      out: (text) => void (output.out += text),
      err: (text) => void (output.err += text),
      progress: () => undefined,
      ask: () => Promise.resolve(left.shift()),
      width: undefined,
      color: false,
    },
  };
  return { invocation, out: () => output.out, err: () => output.err };
}

/** Runs a prompt as `skilled run` does in a terminal. */
async function runAt(
  agent: RecursiveSkilledAgent,
  { invocation }: TestTerminal,
  prompt: string,
): Promise<number> {
  const bounds = { session: 's' };
  using interrupt = onInterrupt();
  return await printOutcome({
    agent,
    invocation,
    interrupt,
    run: agent.run({ prompt, ...bounds, signal: interrupt.signal }),
    instead: (text) => runInBetween({ agent, invocation, bounds }, text),
  });
}

describe('the person who is asked at a terminal', () => {
  test('may type another request, is answered, and is asked again', async () => {
    using files = potFolder();
    await using agent = potAgent(files);
    const terminal = typing(files.path, ['list the pots', '/echo no', 'delete 2 pots', '1', '2']);
    assert.equal(await runAt(agent, terminal, '/pots delete 3'), 0, terminal.err());
    assert.equal(terminal.out(), 'did: list the pots\necho: no\ndelete 2 pots: yes\ndelete 3: no\n');
    const asked = ['pots asks: Really delete 3?', '  1. yes', '  2. no', ''];
    assert.ok(terminal.err().startsWith(asked.join('\n')), terminal.err());
    assert.equal(terminal.err().split(`Still open: ${asked.join('\n')}`).length, 4, terminal.err());
    assert.equal(terminal.err().split('Still open').length, 4, 'nothing is told twice');
  });

  test('drops the question with /cancel, and may answer with any other path or name', async () => {
    using files = potFolder();
    const asks: Run = async (_input, scope) => done(textOf(await scope.ask('Where?')));
    await using agent = agentWith({ asks });
    const dropped = typing(files.path, ['/cancel']);
    assert.equal(await runAt(agent, dropped, '/asks'), 130);
    for (const path of ['/etc/hosts', '@somebody']) {
      const terminal = typing(files.path, [path]);
      assert.equal(await runAt(agent, terminal, '/asks'), 0, terminal.err());
      assert.equal(terminal.out(), `${path}\n`);
    }
  });

  test('is not waited for any longer when it is too late', async () => {
    using files = potFolder();
    const soon: Run = async (_input, scope) =>
      done(textOf(await scope.ask({ text: 'Where?', expires: (await scope.now()) + 20 })));
    await using agent = agentWith({ soon });
    const terminal = typing(files.path, []);
    const ask = (_prompt: string, signal?: AbortSignal): Promise<undefined> =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(undefined)));
    const invocation = { ...terminal.invocation, terminal: { ...terminal.invocation.terminal, ask } };
    assert.equal(await runAt(agent, { ...terminal, invocation }, '/soon'), 4);
    assert.match(terminal.err(), /^error: .*"Where\?".* in time\.$/m);
  });
});

function chatOf(agent: RecursiveSkilledAgent, invocation: Invocation): Chat {
  const session = 's';
  return {
    agent,
    invocation,
    session,
    bill: createBill(agent, session),
    bounds: {},
    queued: [],
    lastRun: undefined,
  };
}

test('a conversation shows the question again that a turn left open', async () => {
  using files = potFolder();
  await using agent = potAgent(files, { store: files.at('runs.db') });
  const { invocation, out, err } = typing(files.path, []);
  const chat = chatOf(agent, invocation);
  for (const line of ['/pots delete 3', 'list the pots', 'delete 4 pots', 'yes', 'no'])
    await takeTurn(chat, { prompt: line });
  assert.equal(out(), 'did: list the pots\ndelete 4 pots: yes\ndelete 3: no\n');
  const open = 'Still open: pots asks: Really delete 3?\n  1. yes\n  2. no\n  Your next line answers it;';
  assert.equal(err().split(open).length, 3, err());
  assert.equal(err().split('Still open').length, 3, 'not beside a question of its own');
});

test('a question is shown again also after a decision about the request in between', async () => {
  using files = potFolder();
  await using agent = potAgent(files, { store: files.at('runs.db'), policy: askAbout('echo') });
  const { invocation, out, err } = typing(files.path, ['y']);
  const chat = chatOf(agent, invocation);
  for (const line of ['/pots delete 3', '/echo 1']) await takeTurn(chat, { prompt: line });
  assert.equal(out(), 'echo: 1\n', err());
  assert.match(err(), /^Still open: pots asks: Really delete 3\?$/m);
});

test('a command reports what is open beside it: in one line, or in its document', async () => {
  using files = tree({ '.git/HEAD': '', 'notes.md': '' });
  const here = ['--session', 'mine', '--cwd', files.path];
  const asked = await call(['run', '/ask-user Which way?', ...here]);
  assert.equal(asked.code, 4, asked.err);
  const between = await call(['run', '/glob *.md', ...here]);
  assert.deepEqual([between.code, between.out], [0, 'notes.md\n'], between.err);
  assert.match(between.err, /^Still open: ask-user asks: Which way\?$/m);
  assert.doesNotMatch((await call(['run', '/glob *.md', '--quiet', ...here])).err, /Still open/);
  const { stillOpen } = documentOf(await call(['run', '/glob *.md', '--json', ...here]));
  assert.equal((stillOpen as { text?: string }).text, 'Which way?');
  const answered = await call(['run', 'left', ...here]);
  assert.deepEqual([answered.code, answered.out], [0, 'left\n'], answered.err);
  assert.doesNotMatch(answered.err, /Still open/);
});

test('a question that no one can answer any more says how to continue without', () => {
  const question = { id: 'q_1', kind: 'input', path: ['pots'], text: 'Sure?' } as const;
  const invocation = typing('/', []).invocation;
  const lines = (expires: number): string =>
    waitingLines('r_1', [{ ...question, expires }], invocation).join('\n');
  assert.match(
    lines(Date.now() - 1),
    /^pots asks: Sure\?\n {2}Too late to answer\. Continue without it: skilled resume r_1/,
  );
  assert.match(
    lines(Date.now() + 100_000),
    /\n {2}Time left: 1 min\n {2}Answer it: skilled resume r_1.* "<answer>"$/,
  );
});
