import { deflateSync, crc32 } from 'node:zlib';
import type { JsonObject } from '../../src/core/json.ts';
import type { ServedTurn } from '../../src/testing/model-server/script.ts';
import { skillText } from '../support/tree.ts';

/** What a user does in one turn of a conversation, and what the model answers. */
export interface ConversationTurn {
  /** The line that the user types. Absent if the turn continues a run that was killed. */
  readonly types?: string;
  /** A workspace file that the user attaches. At a terminal, the line includes it as `@file`. */
  readonly attaches?: string;
  /** The model's answers, one per request, in order. */
  readonly replies: readonly ServedTurn[];
  /** The decision about each call that needs approval, in order: a denial has a reason. */
  readonly decides?: readonly ('once' | { readonly deny: string })[];
  /** A line that the user types while the model works on this turn's first answer. */
  readonly steers?: string;
  /** The process is killed with SIGKILL while it waits for the answer with this index, which never comes. */
  readonly killedAt?: number;
  /** The user stops this turn while the model works on its last answer, which never comes. */
  readonly redirects?: { readonly to: string } | 'assistant';
}

/** A conversation: a project, what the user types, and what the model answers. */
export interface Conversation {
  readonly name: string;
  /** The project's files. The folder is a repository of its own and is trusted. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** The folder in which the conversation is held, relative to the project. */
  readonly folder?: string;
  /** The MCP server of the project, as in `.mcp.json`. */
  readonly servers?: Readonly<Record<string, JsonObject>>;
  /** Whether no model may be called. */
  readonly isOffline?: true;
  readonly turns: readonly ConversationTurn[];
}

/** A small PNG picture: four red pixels. */
export const picture: Uint8Array = pngOf(2, 2, [255, 0, 0]);

const repository = { '.git/HEAD': 'ref: refs/heads/main\n' };

const prices = 'item,price\napple,3\npear,5\nplum,4\n';

/** Numbered lines that are about `characters` characters long. */
function longText(characters: number): string {
  const lines: string[] = [];
  for (let size = 0; size < characters;) {
    const line = `Entry ${lines.length + 1}: the delivery arrived on time and nothing was missing.`;
    lines.push(line);
    size += line.length + 1;
  }
  return `${lines.join('\n')}\n`;
}

const readLog = (from: number): ServedTurn => ({
  calls: [{ name: 'read', input: { file_path: 'log.txt', offset: from, limit: 380 } }],
});

/** A stdio server with one tool, `forecast`, without any dependency. */
const weatherServer = `import { createInterface } from 'node:readline';
const tool = {
  name: 'forecast',
  description: 'Returns the weather of tomorrow for a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'weather', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { city } }) => ({
    content: [{ type: 'text', text: \`\${city}: rain in the morning, 12 degrees\` }],
  }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const reply =
    answer === undefined ? { error: { code: -32601, message: 'unknown' } } : { result: answer(params) };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\\n');
});
`;

const houseRules = `---
name: house-rules
description: The rules for reports of this house. Use it before you write a report.
---

# House rules

Write reports in the past tense. Never name a customer in a report.

Exception: customers of the north depot may be named.
`;

/** The twelve conversations. */
export const conversations: readonly Conversation[] = [
  {
    name: 'hello',
    files: {
      ...repository,
      'skills/repair-quote/SKILL.md': skillText('repair-quote', 'Quotes a bike repair.'),
    },
    turns: [
      {
        types: 'hi, what can you do?',
        replies: [
          'Hello! I can quote a bike repair, read and change files, and answer questions about them.',
        ],
      },
      { types: 'thanks', replies: ['You are welcome.'] },
    ],
  },
  {
    name: 'follow-up',
    files: { ...repository, 'prices.csv': prices },
    turns: [
      {
        types: 'What is in prices.csv?',
        replies: [
          { calls: [{ name: 'read', input: { file_path: 'prices.csv' } }] },
          'Three items: an apple for 3, a pear for 5 and a plum for 4.',
        ],
      },
      { types: 'Which of them costs most?', replies: ['The **pear**, for 5.'] },
    ],
  },
  {
    name: 'two-skills',
    files: {
      ...repository,
      'skills/tax-rules/SKILL.md': `${skillText('tax-rules', 'Explains which tax applies to goods.')}Food has 7 % tax.\n`,
      'skills/letter-style/SKILL.md': `${skillText('letter-style', 'Explains how letters of this shop are written.')}Sign letters with "The shop".\n`,
    },
    turns: [
      {
        types: 'Ann wants bread. Draft a note to her about everything she has to pay.',
        replies: [
          { calls: [{ name: 'skill', input: { name: 'tax-rules' } }] },
          { calls: [{ name: 'skill', input: { name: 'letter-style' } }] },
          'Dear Ann,\n\nyou pay 7 % tax for bread.\n\nThe shop',
        ],
      },
    ],
  },
  {
    name: 'mcp-tool',
    files: { ...repository, 'weather.mjs': weatherServer },
    servers: {
      weather: { command: 'node', args: ['weather.mjs'], workspace: 'read' },
    },
    turns: [
      {
        types: 'Will it rain in Oslo tomorrow?',
        replies: [
          { calls: [{ name: 'weather-forecast', input: { city: 'Oslo' } }] },
          'Yes, in the morning, at 12 degrees.',
        ],
        decides: ['once'],
      },
    ],
  },
  {
    name: 'approval',
    files: { ...repository, 'notes.md': '# Notes\n\nThe colour of the door is green.\n' },
    turns: [
      {
        types: 'Use American spelling in notes.md.',
        replies: [
          {
            calls: [
              {
                name: 'edit',
                input: { file_path: 'notes.md', old_string: 'colour', new_string: 'color' },
              },
            ],
          },
          'I left notes.md as it is, because this document is British.',
        ],
        decides: [{ deny: 'This document is British.' }],
      },
      {
        types: 'Then make the door red.',
        replies: [
          {
            calls: [
              { name: 'edit', input: { file_path: 'notes.md', old_string: 'green', new_string: 'red' } },
            ],
          },
          'The door is red now.',
        ],
        decides: ['once'],
      },
    ],
  },
  {
    name: 'steering',
    files: { ...repository, 'a.md': 'a\n', 'b.md': 'b\n', 'c.txt': 'c\n' },
    turns: [
      {
        types: 'Count the files.',
        steers: 'Only the Markdown files.',
        replies: [{ calls: [{ name: 'glob', input: { pattern: '*' } }] }, 'There are two Markdown files.'],
      },
    ],
  },
  {
    name: 'compaction',
    files: { ...repository, 'log.txt': longText(190_000), 'skills/house-rules/SKILL.md': houseRules },
    turns: [
      {
        types: 'Learn how we write reports here.',
        replies: [{ calls: [{ name: 'skill', input: { name: 'house-rules' } }] }, 'I know the house rules.'],
      },
      ...[1, 381, 761, 1141, 1521, 1901].map((from, index) => ({
        types: `Look at part ${index + 1} of log.txt.`,
        replies: [readLog(from), `Part ${index + 1} reports deliveries that arrived on time.`],
      })),
      {
        types: 'Write the report.',
        replies: [
          'The user had parts of log.txt read: all deliveries arrived on time. The parts are $$read-1 to $$read-6.',
          'All deliveries arrived on time.',
        ],
      },
    ],
  },
  {
    name: 'image',
    files: { ...repository, 'square.png': picture },
    turns: [
      { types: 'Which colour is this?', attaches: 'square.png', replies: ['It is red.'] },
      {
        types: 'Look at square.png again.',
        replies: [{ calls: [{ name: 'read', input: { file_path: 'square.png' } }] }, 'It is still red.'],
      },
    ],
  },
  {
    name: 'killed',
    files: { ...repository, 'prices.csv': prices },
    turns: [
      { types: 'hi', replies: ['Hello.'] },
      {
        types: 'How many items are in prices.csv?',
        replies: [
          { calls: [{ name: 'read', input: { file_path: 'prices.csv' } }] },
          { text: 'There are three', pieces: 3, faultAfter: 2, hang: true },
        ],
        killedAt: 1,
      },
      { replies: ['There are three items.'] },
      { types: 'And how many did you say?', replies: ['Three.'] },
    ],
  },
  {
    name: 'redirected',
    files: {
      ...repository,
      'skills/repair-quote/SKILL.md': skillText(
        'repair-quote',
        'Quotes the repair of a bike. Use it when someone asks for the price of a bike repair.',
      ),
      'skills/rental-quote/SKILL.md': skillText(
        'rental-quote',
        'Quotes the rental of a car for a number of days.',
      ),
    },
    turns: [
      {
        types: 'quote the repair of a bike',
        replies: [{ text: 'The repair costs', faultAfter: 2, hang: true }],
        redirects: { to: 'rental-quote' },
      },
      { replies: [{ text: 'The rental costs', faultAfter: 2, hang: true }], redirects: 'assistant' },
      { replies: ['What exactly is broken?'] },
    ],
  },
  {
    name: 'project-instructions',
    folder: 'packages/shop',
    files: {
      ...repository,
      'AGENTS.md': 'Answer in one short sentence.\n',
      'packages/shop/AGENTS.md': 'Call customers guests.\n',
    },
    turns: [
      { types: 'Who buys here?', replies: ['Guests buy here.'] },
      { types: 'And who sells?', replies: ['The shop sells.'] },
    ],
  },
  {
    name: 'offline',
    isOffline: true,
    files: {
      ...repository,
      'notes.md': 'Buy bread.\n',
      'skills/repair-quote/SKILL.md': skillText('repair-quote', 'Quotes a bike repair.'),
    },
    turns: [
      { types: 'hi, what can you do?', replies: [] },
      { types: '/read notes.md', replies: [] },
    ],
  },
];

/** Returns a conversation by name. */
export function conversationNamed(name: string): Conversation {
  const found = conversations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no conversation ${name}.`);
  return found;
}

/** Encodes a picture of one colour. */
function pngOf(width: number, height: number, colour: readonly [number, number, number]): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = [0, ...Array.from({ length: width }, () => colour).flat()];
  const rows = Buffer.from(Array.from({ length: height }, () => row).flat());
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')]);
}

function chunk(type: string, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length, 0);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body), 0);
  return Buffer.concat([length, body, check]);
}
