// Own process: waits for programs at pseudo-terminals.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedTurn } from '../../src/testing/model-server/script.ts';
import { openTerminal, withoutTerminal, type AtTerminal } from '../support/pseudo-terminal.ts';
import { providerKinds } from '../support/provider-stage.ts';
import { readRequest, type WireRequest } from './requests.ts';
import { conversationNamed } from './scripts.ts';
import { showsPrompt } from './terminal.ts';
import { createFolders, openAgent, session, type ConversationFolders } from './stage.ts';

const conversation = conversationNamed('follow-up');
const ctrlD = '\u0004';

const replies: readonly ServedTurn[] = [
  {
    calls: [
      { id: 'one', name: 'read', input: { file_path: 'prices.csv' } },
      { id: 'two', name: 'glob', input: { pattern: '*.csv' } },
    ],
  },
  'Three items.',
  'The pear.',
  'The apple.',
];

/** Fails unless the last request repeats the one before exactly, and adds only the answer and the next prompt. */
function checkContinues(requests: readonly WireRequest[], added: readonly string[]): void {
  const [before, last] = requests.slice(-2);
  assert.equal(last?.head, before?.head, 'the tools and the system prompt are the same');
  assert.deepEqual(last?.lines, [...(before?.lines ?? []), ...added]);
}

const first = ['user: What is in it?', 'call one', 'call two', 'result one', 'result two'];
const kindsOf = ({ lines }: WireRequest): readonly string[] =>
  lines.map((line) => (/^(?:user|assistant): /.test(line) ? line : line.split(' ').slice(0, 2).join(' ')));

test('a session that left memory is the same conversation for the model', async () => {
  for (const kind of providerKinds) {
    const folders = await createFolders(conversation);
    using _files = folders.files;
    await using server = await openModelServer(replies);
    const ask = { session, assistant: 'open', toAssistant: true } as const;
    {
      await using agent = openAgent(folders, kind, server.url);
      await agent.run({ prompt: 'What is in it?', ...ask }).result;
      await agent.run({ prompt: 'Which costs most?', ...ask }).result;
    }
    await using agent = openAgent(folders, kind, server.url); // Its memory has nothing of the session.
    const { text, error } = await agent.run({ prompt: 'Which costs least?', ...ask }).result;
    assert.equal(text, 'The apple.', JSON.stringify(error));
    const requests = server.requests.map(readRequest);
    checkContinues(requests, ['assistant: The pear.', 'user: Which costs least?']);
    const calls = requests.at(-1)?.lines.filter((line) => /^(?:call|result)/.test(line)) ?? [];
    assert.equal(calls.length, 4, kind.name);
    assert.ok(calls.some((line) => line.startsWith('result one') && line.includes('pear,5')));
  }
});

describe('at a terminal', { skip: withoutTerminal }, () => {
  test('chat -c in a second process sends the same messages, and then what is new', async () => {
    const folders = await createFolders(conversation);
    using _files = folders.files;
    await using server = await openModelServer(replies);
    {
      using terminal = open(folders, server.url, []);
      await say(terminal, '/assistant What is in it?', /Three items\./);
      await say(terminal, '/assistant Which costs most?', /The pear\./);
      terminal.type(ctrlD);
      assert.equal(await terminal.ended(), 0);
    }
    using terminal = open(folders, server.url, ['-c']);
    await terminal.shows(/> What is in it\?\nThree items\.\n\n> Which costs most\?\nThe pear\.\n\n>$/);
    await say(terminal, '/assistant Which costs least?', /The apple\./);
    const asked = server.requests.filter(({ protocol }) => protocol !== undefined); // Not for models.
    const requests = asked.map(readRequest);
    checkContinues(requests, ['assistant: The pear.', 'user: Which costs least?']);
    assert.deepEqual(kindsOf(requests[1] as WireRequest), first);
  });
});

function open(
  { workspace, environment }: ConversationFolders,
  url: string,
  more: readonly string[],
): AtTerminal {
  const args = ['chat', '--base-url', `${url}/v1`, '--model', 'llama', ...more];
  return openTerminal(args, { cwd: workspace, env: environment });
}

async function say(terminal: AtTerminal, line: string, answer: RegExp): Promise<void> {
  await showsPrompt(terminal);
  terminal.type(`${line}\r`);
  await terminal.shows(answer);
  await showsPrompt(terminal);
}
