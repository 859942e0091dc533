import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openTerminal, withoutTerminal, type AtTerminal } from '../../../../test/support/pseudo-terminal.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { openModelServer, type ModelServer } from '../../../testing/model-server/server.ts';

const ctrlC = '\u0003';
const ctrlD = '\u0004';
const escape = '\u001b';
const arrowUp = `${escape}[A`;
const colour = new RegExp(`${escape}\\[[\\d;]*m`);
const skip = withoutTerminal;

function project(): Tree {
  return tree({
    'home/x': '',
    'project/.git/HEAD': '',
    'project/notes.md': '',
    'project/skills/think/SKILL.md': skillText('think', 'Thinks for long.'),
  });
}

interface Manner {
  readonly server?: ModelServer;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly then?: string;
}

function chatIn(files: Tree, { server, env, ...how }: Manner = {}): AtTerminal {
  const model = server === undefined ? ['--offline'] : ['--base-url', `${server.url}/v1`, '--model', 'llama'];
  return openTerminal(['chat', ...model], {
    ...how,
    cwd: files.at('project'),
    env: { HOME: files.at('home'), ...env },
  });
}

const prompt = /\n+>$/;

describe('a conversation at a terminal', { skip }, () => {
  test('shows the words of a model as they come, and Ctrl+C keeps them and the conversation', async () => {
    using files = project();
    const usage = { inputTokens: 2_000, outputTokens: 310 };
    await using server = await openModelServer([
      { text: 'Alpha beta gamma delta.', faultAfter: 2, hang: true },
      { text: 'Whole.', usage },
      { text: 'Again.', usage },
    ]);
    using chat = chatIn(files, { server });
    await chat.shows(prompt);
    chat.type('/think\r');
    await chat.shows(/^… think.*\nAlpha beta\n>\n.*Esc stops$/m);
    chat.type(ctrlC);
    await chat.shows(/^Alpha beta\nStopped\.\n\n+>$/m);
    chat.type('/think\r');
    await chat.shows(/^Whole\.\n[\d.]+ s · 2,310 tok[^]*\n+>$/m);
    chat.type('/think\r');
    await chat.shows(/^Again\.\n[\d.]+ s · [^]*conversation 4,620 tok.*\n+>$/m);
    chat.type('/cost\r');
    await chat.shows(/^last run {6}2,310 tok.*\nconversation {2}4,620 tok.* in 3 runs\n+>$/m);
    chat.type(ctrlD);
    assert.equal(await chat.ended(), 0);
    assert.match(chat.screen.rows().join('\n'), /^Continue this conversation:\s+skilled chat -r s_\w{8} /m);
  });

  test('a second Ctrl+C leaves at once with 130, and the terminal is as it was', async () => {
    using files = project();
    await using server = await openModelServer([{ text: 'Alpha beta', faultAfter: 1, hang: true }]);
    using chat = chatIn(files, { server, then: 'echo left $code; stty -a' });
    await chat.shows(prompt);
    chat.type('/think\r');
    await chat.shows(/\nAlpha\n>/);
    chat.type(`${ctrlC}${ctrlC}`);
    await chat.ended();
    const shown = chat.screen.rows().join('\n');
    assert.match(shown, /^left 130$/m);
    assert.match(shown, /[^-]icanon[^]*[^-]echo /);
  });

  for (const { name, columns, env } of [
    { name: 'in colour', columns: 80, env: {} },
    { name: 'without colours, at 40 columns', columns: 40, env: { NO_COLOR: '1' } },
  ] as const)
    test(`draws the tree of what runs, then the finished one in its place, ${name}`, async () => {
      using files = project();
      const latch = Promise.withResolvers<undefined>();
      const input = { pattern: '*.a-pattern-that-is-longer-than-a-narrow-terminal' };
      await using server = await openModelServer(async (_request, turn) => {
        if (turn === 1) return { calls: [{ name: 'glob', input }] };
        await latch.promise;
        return 'All done.';
      });
      using chat = chatIn(files, { server, columns, env });
      await chat.shows(prompt);
      chat.type('/think\r');
      await chat.shows(/\n {2}✓ glob .*\n… think.*\n>\n.*Esc stops$/);
      chat.type('/cost\rtyped meanwhile');
      await chat.shows(/\n {2}After this run: \/cost\n… think.*\n> typed meanwhile\n/);
      latch.resolve(undefined);
      await chat.shows(/\nAll done\.\n[\d.]+ s · .*\n+> \/cost\nlast run .*\n[^>]*\n+> typed meanwhile$/);
      const shown = chat.screen.rows().join('\n');
      assert.doesNotMatch(shown, /^… think/m, 'nothing is left of the tree that was drawn meanwhile');
      assert.equal(shown.split('typed meanwhile').length, 2, 'what is typed appears once');
      assert.equal(colour.test(chat.written()), !('NO_COLOR' in env));
      const broken = chat.screen.brokenRows().join('\n');
      assert.doesNotMatch(broken, /think|glob|tok/, 'nothing of the tree or the last line is broken');
      chat.type(ctrlC);
      await chat.shows(/\n> typed meanwhile\^C\n+>$/);
      chat.type(ctrlD);
      assert.equal(await chat.ended(), 0);
    });

  test('Tab completes commands and skills, and the arrow keys know what was typed in an earlier one', async () => {
    using files = project();
    using first = chatIn(files);
    await first.shows(prompt);
    first.type('/thi');
    await first.shows(/\n> \/thi\n {2}\/think {2}Thinks for long\.$/);
    first.type('\t');
    await first.shows(/\n> \/think$/);
    first.type(ctrlC);
    await first.shows(/\n> \/think \^C\n+>$/);
    first.type('/hel\t\r');
    await first.shows(/^ {2}\/cost +\w/m);
    first.type('/glob *.md\r');
    await first.shows(/\n> \/glob \*\.md\nnotes\.md\n+>$/);
    first.type('/ask-user Which way?\r');
    await first.shows(/\nanswer>$/);
    first.type('a secret place\r');
    await first.shows(/\na secret place\n+>$/);
    first.type(' /glob *.txt\r');
    await first.shows(/\nNo file matches\.\n+>$/);
    first.type(ctrlD);
    assert.equal(await first.ended(), 0);

    const file = files.at('home/.skilled/history');
    assert.equal(readFileSync(file, 'utf8'), '/help\n/glob *.md\n/ask-user Which way?\n');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(existsSync(files.at('project/.skilled/history')), false);
    using second = chatIn(files);
    await second.shows(prompt);
    second.type(`${arrowUp}${arrowUp}`);
    await second.shows(/\n> \/glob \*\.md$/);
    second.type('\r');
    await second.shows(/\nnotes\.md\n+>$/);
    assert.doesNotMatch(second.screen.rows().join('\n'), /New files/, 'that is said once');
    second.type(ctrlD);
    assert.equal(await second.ended(), 0);
  });

  test('an approval is asked for inline, what was typed before goes to the run, and a call that was typed needs none', async () => {
    using files = project();
    const latch = Promise.withResolvers<undefined>();
    await using server = await openModelServer(async (_request, turn) => {
      if (turn > 1) return 'Noted.';
      await latch.promise;
      return { calls: [{ name: 'write', input: { file_path: 'a.txt', content: 'x' } }] };
    });
    using chat = chatIn(files, { server });
    await chat.shows(prompt);
    chat.type('/think\r');
    await chat.shows(/\n… think/);
    await server.waitForRequest(0);
    chat.type('y\r');
    latch.resolve(undefined);
    await chat.shows(
      /\n {2}Sent to the run: y\n[^]*"think" wants to call "write": [^]*\n {2}\+ x\ny once · .*n no · \? help >$/,
    );
    assert.equal(existsSync(files.at('project/a.txt')), false);
    chat.type('n\r');
    await chat.shows(/\nWhy not\?$/);
    chat.type('not yet\r');
    await chat.shows(/\nWhy not\? not yet\n {2}⊘ write .*\n {4}Denied: not yet\nNoted\.\n.*\n+>$/);
    assert.equal(existsSync(files.at('project/a.txt')), false);
    const { messages } = server.requests.at(-1)?.body as { messages: readonly { content: unknown }[] };
    // The line follows the prompt or the call, depending on which of them the model had received.
    assert.match(JSON.stringify(messages), /(?:\\n|")y"/, 'the run received the line');
    chat.type('/write {"file_path": "b.txt", "content": "x"}\r');
    await chat.shows(/\nCreated "b\.txt", 1 byte\.\n+>$/);
    chat.type(ctrlD);
    assert.equal(await chat.ended(), 0);
  });
});
