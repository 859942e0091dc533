import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedRequest, ServedTurn } from '../../src/testing/model-server/script.ts';
import { runCommand, type ProcessOptions } from './command-process.ts';
import { modelVariables } from './command-skills.ts';
import { root } from './pages.ts';
import { tree, type Tree } from './tree.ts';

/** A command and its expected result. */
export interface JourneyStep {
  readonly args: readonly string[];
  readonly out: string | RegExp;
  readonly err?: RegExp;
  /** The expected exit code. The default is 0. */
  readonly code?: number;
}

/** The commands from `skilled new` to a result, for one family. */
export interface FamilyJourney {
  /** The arguments of `skilled new`: the family and the name. */
  readonly newArgs: readonly [family: string, name: string];
  /** Edits the files that `skilled new` created. */
  readonly edit?: (files: Tree) => void;
  /** Returns the model's reply to a request. */
  readonly reply: (asked: string) => ServedTurn;
  readonly steps: readonly JourneyStep[];
  /** Whether the skill starts a process. Without a sandbox, this needs approval. */
  readonly startsProcess: boolean;
}

const answer = 'It is about bread.';

/** Text that occurs only in a project file. An answer that contains it must have read the file. */
const readme = '# Bread\n\nSourdough, mostly.\n';

const rules = `## file: src/rules.ts
\`\`\`ts
export const validate_name = (cases: readonly { value: unknown }[]) =>
  cases.map(({ value }) => (/^[A-Z]+$/.test(String(value)) ? 'Do not shout.' : null));
\`\`\`
`;
const generated = `## file: src/index.mjs
\`\`\`js
export const action = ({ text }) => [...text].reverse().join('');
\`\`\`
`;
const snippet = JSON.stringify({ mode: 'code', code: 'return 6 * 7;', explanation: 'It is known.' });

/** One journey for each family. */
export const familyJourneys: Readonly<Record<string, FamilyJourney>> = {
  skill: {
    newArgs: ['skill', 'note'],
    reply: (asked) => (asked.includes('Write to Ann.') ? 'Dear Ann' : 'Dear nobody'),
    steps: [{ args: ['run', '/note', 'Write to Ann.'], out: 'Dear Ann\n' }],
    startsProcess: false,
  },
  orchestrator: {
    newArgs: ['orchestrator', 'reader'],
    reply: lookFirst,
    steps: [{ args: ['run', '/reader', 'What is it about?'], out: `${answer}\n` }],
    startsProcess: false,
  },
  'code skill': {
    newArgs: ['code-skill', 'echo'],
    reply: () => assert.fail('no model is asked'),
    steps: [{ args: ['run', '/echo', 'hello there'], out: 'hello there\n' }],
    startsProcess: true,
  },
  'code of specs': {
    newArgs: ['code-skill', 'reverse'],
    edit(files) {
      rmSync(files.at('.agents/skills/reverse/src'), { recursive: true });
      const spec = 'Exports `action({ text })`: the characters of the text in reverse order.\n';
      files.write('.agents/skills/reverse/specs/index.mjs.md', spec);
    },
    reply: () => generated,
    steps: [
      { args: ['build', 'reverse'], out: 'reverse: 1 file generated.\n' },
      { args: ['run', '/reverse', 'bread'], out: 'daerb\n' },
    ],
    startsProcess: true,
  },
  'dynamic code': {
    newArgs: ['dynamic-code', 'calculator'],
    reply: () => snippet,
    steps: [{ args: ['run', '/calculator', 'six times seven'], out: '42\n' }],
    startsProcess: false,
  },
  'MCP skill': {
    newArgs: ['mcp', 'desk'],
    reply: lookFirst,
    steps: [{ args: ['run', '/desk', 'What is it about?'], out: `${answer}\n` }],
    startsProcess: true,
  },
  table: {
    newArgs: ['table', 'parts'],
    edit(files) {
      const descriptor = files.at('.agents/skills/parts/tskill.md');
      const text = readFileSync(descriptor, 'utf8');
      const rule = '#### Required\n\n#### Validator\n\nNo shouting.\n';
      files.write('.agents/skills/parts/tskill.md', text.replace('#### Required\n', rule));
    },
    reply: () => rules,
    steps: [
      { args: ['build', 'parts'], out: /^parts: 1 file generated\./ },
      {
        args: ['run', '/parts', '--args-json', addRecord('HAMMER')],
        out: '',
        err: /Do not shout\./,
        code: 2,
      },
      { args: ['run', '/parts', '--args-json', addRecord('Drill')], out: /^Added record 1 to parts\./ },
      { args: ['run', '/parts', 'how many are there?'], out: /\b1\b/ },
    ],
    startsProcess: true,
  },
  subagent: {
    newArgs: ['subagent', 'helper'],
    reply: lookFirst,
    steps: [{ args: ['run', '/helper', 'What is it about?'], out: `${answer}\n` }],
    startsProcess: false,
  },
};

/**
 * Creates the skill in a new project and runs the journey's commands with `--yes`. Returns everything they
 * wrote to stderr.
 */
export async function takeJourney(
  { newArgs, edit, reply, steps }: FamilyJourney,
  how: Pick<ProcessOptions, 'main' | 'wrapper'> = {},
): Promise<string> {
  using files = tree({ '.git/HEAD': '', 'README.md': readme });
  symlinkSync(join(root, 'node_modules'), files.at('node_modules')); // makes the project's packages available
  await using server = await openModelServer(({ body }: ServedRequest) => reply(JSON.stringify(body)));
  const env = { HOME: files.at('home'), PATH: '/usr/bin:/bin', ...modelVariables(server) };
  const options = { ...how, env, cwd: files.path };

  cpSync(await writtenBy(newArgs, how.main), files.path, { recursive: true });
  edit?.(files);
  let said = '';
  for (const { args, out, err = /^/, code = 0 } of steps) {
    const ended = await runCommand([...args, '--yes'], options);
    const shown = `${args.join(' ')}\n${ended.out}\n${ended.err}`;
    assert.equal(ended.code, code, shown);
    if (typeof out === 'string') assert.equal(ended.out, out, shown);
    else assert.match(ended.out, out, shown);
    assert.match(ended.err, err, shown);
    said += ended.err;
  }
  return said;
}

const written = new Map<string, Promise<string>>();
const resources = new DisposableStack();
process.once('exit', () => {
  resources.dispose();
});

/**
 * Returns a folder with the files that `skilled new` creates in an empty project. They do not depend on a
 * sandbox, so the command runs once per family.
 */
function writtenBy(newArgs: readonly string[], main: string | undefined): Promise<string> {
  const key = JSON.stringify([newArgs, main]);
  const known = written.get(key) ?? write(newArgs, main);
  written.set(key, known);
  return known;
}

async function write(newArgs: readonly string[], main: string | undefined): Promise<string> {
  const files = resources.use(tree({ '.git/HEAD': '', 'README.md': readme }));
  const env = { HOME: files.at('home'), PATH: '/usr/bin:/bin' };
  const options = { ...(main === undefined ? {} : { main }), env, cwd: files.path };
  const ended = await runCommand(['new', ...newArgs], options);
  assert.equal(ended.code, 0, ended.err);
  return files.path;
}

/** Returns the model's reply: a listing of the folder, or the answer once the request mentions the file. */
function lookFirst(asked: string): ServedTurn {
  if (asked.includes('README.md')) return answer;
  const tool = /"name":"([\w-]*(?:list_directory|glob))"/.exec(asked)?.[1] ?? assert.fail(asked);
  return { calls: [{ name: tool, input: tool === 'glob' ? { pattern: '*.md' } : { path: '.' } }] };
}

function addRecord(name: string): string {
  return JSON.stringify({ operation: 'add', records: [{ name }], confirm: false });
}
