import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedRequest, ServedTurn } from '../../src/testing/model-server/script.ts';
import { runCommand, type ProcessOptions } from './command-process.ts';
import { modelVariables } from './command-skills.ts';
import { root } from './pages.ts';
import { tree, type Tree } from './tree.ts';

/** A command, and what must come of it. */
export interface JourneyStep {
  readonly args: readonly string[];
  readonly out: string | RegExp;
  readonly err?: RegExp;
  /** 0 unless given. */
  readonly code?: number;
}

/** The way from `skilled new` to a result, for one kind of skill. */
export interface FamilyJourney {
  /** What `skilled new` is given: the family and the name. */
  readonly newArgs: readonly [family: string, name: string];
  /** Changes the files that were written. */
  readonly edit?: (files: Tree) => void;
  /** What the model says. */
  readonly reply: (asked: string) => ServedTurn;
  readonly steps: readonly JourneyStep[];
  /** Whether the skill starts a process, which asks where there is no sandbox. */
  readonly startsProcess: boolean;
}

const answer = 'It is about bread.';

/** What only a file of the project says, so that an answer with it comes from there. */
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

/** One journey for each kind of skill. */
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

/** Makes the skill in a new project and takes the steps, allowing what is asked; everything that was said on stderr. */
export async function takeJourney(
  { newArgs, edit, reply, steps }: FamilyJourney,
  how: Pick<ProcessOptions, 'main' | 'wrapper'> = {},
): Promise<string> {
  using files = tree({ '.git/HEAD': '', 'README.md': readme });
  symlinkSync(join(root, 'node_modules'), files.at('node_modules')); // the programs of the project
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

/** A folder with what `skilled new` writes in an empty project; it needs no sandbox, so it is called once for each kind. */
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

/** A model that looks into the folder, and knows the answer when it has seen the file. */
function lookFirst(asked: string): ServedTurn {
  if (asked.includes('README.md')) return answer;
  const tool = /"name":"([\w-]*(?:list_directory|glob))"/.exec(asked)?.[1] ?? assert.fail(asked);
  return { calls: [{ name: tool, input: tool === 'glob' ? { pattern: '*.md' } : { path: '.' } }] };
}

function addRecord(name: string): string {
  return JSON.stringify({ operation: 'add', records: [{ name }], confirm: false });
}
