// Own process: waits for programs at pseudo-terminals.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chatCommands } from '../../src/cli/commands/chat/slash-commands.ts';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedRequest, ServedTurn } from '../../src/testing/model-server/script.ts';
import { openTerminal, withoutTerminal, type AtTerminal } from '../support/pseudo-terminal.ts';
import { readRequest } from './requests.ts';
import { conversationNamed } from './scripts.ts';
import { showsPrompt } from './terminal.ts';
import { createFolders } from './stage.ts';

const ctrlD = '\u0004';
const turns = 9;

/** Each command with what its answer shows. Several lines test the same command with other arguments. */
const typed: readonly (readonly [line: string, shows: RegExp])[] = [
  ['/help', /\/compact\s[^]*!<command>/],
  ['/skills', /\/house-rules\s[^]*Built in: \/ask-user/],
  ['/skills report', /\/house-rules/],
  ['/model', /plan +custom\/llama/],
  ['/model nope', /"nope" is not a model/],
  ['/model custom/llama', /now uses custom\/llama/],
  ['/model default', /its own model again/],
  ['/tools', /bash +[^]*write/],
  ['/mcp', /No servers/],
  ['/trust', /Nothing is trusted/],
  ['/init', /settings\.json/],
  ['/reload', /skills available/],
  ['/resume', /no other conversations/],
  ['/tree', /\(assistant\)/],
  ['/why', /\d s {2}\S/],
  ['/cancel', /Nothing is waiting/],
  ['/use house-rules Report it.', /Answered\./],
  ['/assistant Go on.', /Answered\./],
  ['/assistant Plan it.', /✓ todo .*\n {4}\[x\] Read it\n {4}\[>\] Write it\n/],
  ['/nothing', /no command or skill/],
  ['!echo hello there', /^hello there\n/m],
  ['@first.txt Look.', /Answered\./],
];

describe('at a terminal', { skip: withoutTerminal }, () => {
  test('every slash command answers, and /compact shortens a long conversation', async () => {
    const conversation = conversationNamed('compaction');
    const folders = await createFolders({
      ...conversation,
      files: { ...conversation.files, 'first.txt': 'The first line.\n' },
    });
    using _files = folders.files;
    await using server = await openModelServer(reply);
    const args = ['chat', '--base-url', `${server.url}/v1`, '--model', 'llama'];
    const { workspace: cwd, environment: env } = folders;
    using terminal = openTerminal(args, { cwd, env, columns: 60 });
    await showsPrompt(terminal);
    for (let turn = 1; turn <= turns; turn += 1) await say(terminal, `/assistant Look at part ${turn}.`);
    const size = (): number => JSON.stringify(server.requests.at(-1)?.body).length;
    const before = size();
    assert.match(await say(terminal, '/cost'), /in 9 runs/);
    assert.match(await say(terminal, '/compact'), /Summarised the conversation up to turn \d/);
    await say(terminal, '/assistant And now?');
    assert.ok(size() < before / 2, `${size()} characters after ${before}`);
    const last = readRequest(server.requests.at(-1) as ServedRequest);
    assert.match(last.lines.join('\n'), /Parts of log\.txt were read/, 'the summary is in the prompt');
    assert.match(await say(terminal, '/cost'), /in 11 runs/, 'the summary has a cost, too');
    for (const [line, shows] of typed) assert.match(await say(terminal, line), shows, line);
    assert.match(await say(terminal, '/clear'), /Forgotten/);
    await say(terminal, '/assistant Hello again.');
    const cleared = readRequest(server.requests.at(-1) as ServedRequest);
    assert.equal(cleared.lines.length, 1, 'nothing of the conversation is left');
    const names = [...typed.map(([line]) => line), '/cost', '/compact', '/clear', '/exit'];
    const missing = chatCommands.filter(
      ({ name }) => !names.some((line) => line.split(' ')[0] === `/${name}`),
    );
    assert.deepEqual(missing, [], 'commands that this test does not type');
    const broken = terminal.screen.brokenRows().filter((row) => /\S\s+\S/.test(row.trim()));
    assert.deepEqual(broken, []);
    terminal.type(ctrlD);
    assert.equal(await terminal.ended(), 0);
  });
});

/** Types a line, and returns what it shows until the next prompt. */
async function say(terminal: AtTerminal, line: string): Promise<string> {
  const before = terminal.screen.rows().length;
  terminal.type(`${line}\r`);
  const start = line.slice(0, 20).replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  await terminal.shows(new RegExp(`\\n> ${start}[^]*\\n>$`));
  await showsPrompt(terminal);
  return terminal.screen
    .rows()
    .slice(before - 1)
    .join('\n');
}

const steps = [
  { text: 'Read it', status: 'done' },
  { text: 'Write it', status: 'doing' },
];

function reply(request: ServedRequest): ServedTurn {
  const { lines, tools } = readRequest(request);
  if (tools.length === 0) return 'Parts of log.txt were read.';
  const at = lines.findLastIndex((line) => line.startsWith('user: '));
  if (lines[at]?.endsWith('Plan it.') === true && at === lines.length - 1)
    return { calls: [{ name: 'todo', input: { items: steps } }] };
  const [, part] = /Look at part (\d)\.$/.exec(lines[at] ?? '') ?? [];
  if (part === undefined || at < lines.length - 1) return 'Answered.';
  const input = { file_path: 'log.txt', offset: Number(part) * 60 + 1, limit: 60 };
  return { calls: [{ id: `call-${part}`, name: 'read', input }] };
}
