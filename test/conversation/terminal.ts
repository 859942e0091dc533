import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openModelServer, type ModelServer } from '../../src/testing/model-server/server.ts';
import { openTerminal, type AtTerminal } from '../support/pseudo-terminal.ts';
import { createFolders, serve, type ConversationFolders } from './stage.ts';
import type { Conversation, ConversationTurn } from './scripts.ts';

/** The folder of the recorded screens. */
const screens = join(import.meta.dirname, 'screens');

/** The widths of the terminals at which every conversation is held, in columns. */
export const widths = [40, 80, 120] as const;

const escape = '\u001b';
const ctrlD = '\u0004';
const prompt = /\n>$/;
const asks = / \? (?:help )?>$/; // The end of an approval.

/** A conversation that is being held at a pseudo-terminal. */
interface Talk {
  readonly folders: ConversationFolders;
  readonly server: ModelServer | undefined;
  readonly columns: number;
  /** The promises that hold answers of the model back, by their index. */
  readonly holds: Map<number, Promise<unknown>>;
  terminal: AtTerminal;
}

/**
 * Holds a conversation with the built package at a pseudo-terminal. Returns the rows of the screen, with what
 * differs from run to run replaced. Throws if a row is too long for the terminal. Only the last command, which
 * must be pasteable, may be longer.
 */
export async function holdAtTerminal(conversation: Conversation, columns: number): Promise<string> {
  const folders = await createFolders(conversation);
  using _files = folders.files;
  const holds = new Map<number, Promise<unknown>>();
  const replies = conversation.turns.flatMap((turn) => turn.replies);
  await using server =
    conversation.isOffline === true ? undefined : await openModelServer(serve(replies, holds));
  const talk: Talk = { folders, server, columns, holds, terminal: open(folders, server, columns, []) };
  try {
    let first = 0;
    for (const [index, turn] of conversation.turns.entries()) {
      await take(talk, turn, conversation.turns[index - 1], first);
      first += turn.replies.length;
    }
    const { terminal } = talk;
    await showsPrompt(terminal);
    terminal.type(ctrlD);
    await terminal.ended();
    const [held = ''] = terminal.screen.rows().join('\n').split('\nContinue this conversation');
    const broken = terminal.screen.brokenRows().filter((row) => held.split('\n').includes(row));
    assert.deepEqual(broken.filter(Boolean), [], 'rows that the terminal broke');
    return readable(held, folders, server);
  } finally {
    talk.terminal[Symbol.dispose]();
  }
}

/**
 * Fails unless the screen equals the recorded one. To record the screens again, look at each and run
 * `KEEP_LOG=1 npm test -- test/conversation/terminal.stress.ts`.
 */
export function checkScreen(name: string, columns: number, screen: string): void {
  const file = join(screens, `${name}-${columns}.txt`);
  mkdirSync(screens, { recursive: true });
  if (process.env['KEEP_LOG'] === '1') writeFileSync(file, `${screen}\n`);
  assert.equal(`${screen}\n`, readFileSync(file, 'utf8'));
}

function open(
  { workspace, environment }: ConversationFolders,
  server: ModelServer | undefined,
  columns: number,
  more: readonly string[],
): AtTerminal {
  const model = server === undefined ? ['--offline'] : ['--base-url', `${server.url}/v1`, '--model', 'llama'];
  return openTerminal(['chat', ...model, ...more], { cwd: workspace, columns, env: environment });
}

/** Types the line of a turn, and everything else that the user does in it. */
async function take(
  talk: Talk,
  turn: ConversationTurn,
  before: ConversationTurn | undefined,
  first: number,
): Promise<void> {
  const { folders, server, holds } = talk;
  const last = first + turn.replies.length - 1;
  const hold = Promise.withResolvers<undefined>();
  if (turn.steers !== undefined) holds.set(first, hold.promise);
  const line = lineOf(turn, before);
  if (line !== undefined) {
    await showsPrompt(talk.terminal);
    talk.terminal.type(`${line}\r`);
    await talk.terminal.shows(/[^>]$/);
  }
  if (turn.steers !== undefined) {
    await server?.waitForRequest(first);
    talk.terminal.type(`${turn.steers}\r`);
    await talk.terminal.shows(/Sent to the run/);
    hold.resolve(undefined);
  }
  for (const decision of turn.decides ?? []) {
    await talk.terminal.shows(asks);
    talk.terminal.type(decision === 'once' ? 'y\r' : 'n\r');
    if (decision === 'once') continue;
    await talk.terminal.shows(/Why not\?$/);
    talk.terminal.type(`${decision.deny}\r`);
  }
  const text = partOf(turn.replies.at(-1));
  if (turn.redirects !== undefined) {
    await talk.terminal.shows(new RegExp(`${text}[^]*Esc stops$`));
    talk.terminal.type(escape);
  }
  if (turn.killedAt !== undefined) {
    await server?.waitForRequest(last);
    await talk.terminal.shows(new RegExp(text));
    talk.terminal.kill();
    await talk.terminal.ended();
    talk.terminal = open(folders, server, talk.columns, ['-c']);
  }
}

/** Resolves when the program waits for a line. The first rows of what is drawn next can look the same. */
export async function showsPrompt(terminal: AtTerminal): Promise<void> {
  for (;;) {
    await terminal.shows(prompt);
    await pause(150);
    if (prompt.test(terminal.screen.rows().join('\n').trimEnd())) return;
  }
}

function lineOf(turn: ConversationTurn, before: ConversationTurn | undefined): string | undefined {
  if (before?.redirects === 'assistant') return '/assistant';
  if (before?.redirects !== undefined) return `/use ${before.redirects.to}`;
  if (turn.types === undefined) return undefined;
  return turn.attaches === undefined ? turn.types : `${turn.types} @${turn.attaches}`;
}

/** Returns the first words of an answer that never ends. */
function partOf(reply: unknown): string {
  const { text = '' } = typeof reply === 'object' ? (reply as { readonly text?: string }) : {};
  return text.split(' ').slice(0, 2).join(' ');
}

/** Replaces what differs from run to run: folders, ports, ids, times and costs. */
function readable(
  screen: string,
  { workspace, files }: ConversationFolders,
  server: ModelServer | undefined,
): string {
  return (
    screen
      .replaceAll(workspace, '<workspace>')
      .replaceAll(files.path, '<folder>')
      .replaceAll(server?.url ?? '<server>', '<server>')
      .replace(/\bs_\w{8}\b/g, 's_<id>')
      .replace(/\br_\w{8,16}\b/g, 'r_<id>')
      .replace(/\b[\d,]+ tok\b/g, '<n> tok')
      .replace(/(?:<\$|\$)\d+\.\d\d/g, '<cost>')
      .replace(/\b(?:\d+ min )?\d+(?:\.\d)? s\b/g, '<time>')
      // A slow machine shows a time of rest as well, and longer numbers, which can move a part to the next row.
      .replace(/<time>(?: working, <time> in total)?(?: · |\n)<n> tok · <cost>/g, '<time> · <n> tok · <cost>')
      .replace(/<cost>(?: · |\n)(?=conversation <n> tok, <cost>)/g, '<cost> · ')
      .replace(/[ ]+$/gm, '')
      .trimEnd()
  );
}
