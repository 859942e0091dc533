// Own process: waits for programs at pseudo-terminals.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedRequest, ServedTurn } from '../../src/testing/model-server/script.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { until } from '../support/deadline.ts';
import { openTerminal, withoutTerminal, type AtTerminal } from '../support/pseudo-terminal.ts';
import { readRequest } from './requests.ts';
import { createFolders, type ConversationFolders } from './stage.ts';
import { showsPrompt } from './terminal.ts';

const files = { '.git/HEAD': 'ref: refs/heads/main\n', 'notes.md': 'The door is green.\n' };
const settings = JSON.stringify({ permissions: { allow: ['Bash'] } });

describe('a conversation that is killed at a terminal', { skip: withoutTerminal, concurrency: true }, () => {
  test('in the middle of an approval, shows what was said and asks again', async () => {
    const folders = await createFolders({ name: 'approval', files, turns: [] });
    using _files = folders.files;
    await using server = await openModelServer(reply);
    {
      using terminal = open(folders, server.url, []);
      await showsPrompt(terminal);
      terminal.type('/assistant Make the door red.\r');
      await terminal.shows(/\n {2}- The door is green\.\n {2}\+ The door is red\.\n.*\? (?:help )?>$/);
      terminal.kill();
      await terminal.ended();
    }
    using terminal = open(folders, server.url, ['-c']);
    await terminal.shows(/> Make the door red\.\n[^]*\n {2}\+ The door is red\.\n.*\? (?:help )?>$/);
    terminal.type('y\r');
    await terminal.shows(/\nDone\.\n/);
    assert.equal(readFileSync(folders.files.at('project/notes.md'), 'utf8'), 'The door is red.\n');
    assert.equal(server.requests.filter(isAsked).length, 2, 'no request was repeated');
  });

  test('in the middle of a tool call, continues', { skip: withoutBubblewrap }, async () => {
    const folders = await createFolders({ name: 'call', files, turns: [] });
    using _files = folders.files;
    folders.files.write('home/.skilled/settings.json', settings);
    await using server = await openModelServer(reply);
    const begun = folders.files.at('project/begun');
    {
      using terminal = open(folders, server.url, []);
      await showsPrompt(terminal);
      terminal.type('/assistant Wait for it.\r');
      await until(() => existsSync(begun));
      terminal.kill();
      await terminal.ended();
    }
    folders.files.write('project/over', '');
    using terminal = open(folders, server.url, ['-c']);
    await terminal.shows(/> Wait for it\.\n[^]*continues:\n[^]*\nDone\.\n/);
  });
});

const isAsked = ({ protocol }: ServedRequest): boolean => protocol !== undefined;

function open(
  { workspace, environment }: ConversationFolders,
  url: string,
  more: readonly string[],
): AtTerminal {
  const args = ['chat', '--base-url', `${url}/v1`, '--model', 'llama', ...more];
  return openTerminal(args, { cwd: workspace, env: environment });
}

function reply(request: ServedRequest): ServedTurn {
  const last = readRequest(request).lines.at(-1) ?? '';
  if (last.endsWith('Make the door red.'))
    return {
      calls: [{ name: 'edit', input: { file_path: 'notes.md', old_string: 'green', new_string: 'red' } }],
    };
  if (last.endsWith('Wait for it.'))
    return {
      calls: [{ name: 'bash', input: { command: 'touch begun; until test -e over; do sleep 0.1; done' } }],
    };
  return 'Done.';
}
