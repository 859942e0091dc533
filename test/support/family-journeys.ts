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
  readonly words: readonly string[];
  readonly out: string | RegExp;
  readonly err?: RegExp;
  /** 0 unless given. */
  readonly code?: number;
}

/** The way from `skilled new` to a result, for one kind of skill. */
export interface FamilyJourney {
  /** What `skilled new` is given: the family and the name. */
  readonly made: readonly [family: string, name: string];
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
    made: ['skill', 'note'],
    reply: (asked) => (asked.includes('Write to Ann.') ? 'Dear Ann' : 'Dear nobody'),
    steps: [{ words: ['run', '/note', 'Write to Ann.'], out: 'Dear Ann\n' }],
    startsProcess: false,
  },
  orchestrator: {
    made: ['orchestrator', 'reader'],
    reply: lookFirst,
    steps: [{ words: ['run', '/reader', 'What is it about?'], out: `${answer}\n` }],
    startsProcess: false,
  },
  'code skill': {
    made: ['code-skill', 'echo'],
    reply: () => assert.fail('no model is asked'),
    steps: [{ words: ['run', '/echo', 'hello there'], out: 'hello there\n' }],
    startsProcess: true,
  },
  'code of specs': {
    made: ['code-skill', 'reverse'],
    edit(files) {
      rmSync(files.at('.agents/skills/reverse/src'), { recursive: true });
      const spec = 'Exports `action({ text })`: the characters of the text in reverse order.\n';
      files.write('.agents/skills/reverse/specs/index.mjs.md', spec);
    },
    reply: () => generated,
    steps: [
      { words: ['build', 'reverse'], out: 'reverse: 1 file generated.\n' },
      { words: ['run', '/reverse', 'bread'], out: 'daerb\n' },
    ],
    startsProcess: true,
  },
  'dynamic code': {
    made: ['dynamic-code', 'calculator'],
    reply: () => snippet,
    steps: [{ words: ['run', '/calculator', 'six times seven'], out: '42\n' }],
    startsProcess: false,
  },
  'MCP skill': {
    made: ['mcp', 'desk'],
    reply: lookFirst,
    steps: [{ words: ['run', '/desk', 'What is it about?'], out: `${answer}\n` }],
    startsProcess: true,
  },
  table: {
    made: ['table', 'parts'],
    edit(files) {
      const descriptor = files.at('.agents/skills/parts/tskill.md');
      const text = readFileSync(descriptor, 'utf8');
      const rule = '#### Required\n\n#### Validator\n\nNo shouting.\n';
      files.write('.agents/skills/parts/tskill.md', text.replace('#### Required\n', rule));
    },
    reply: () => rules,
    steps: [
      { words: ['build', 'parts'], out: /^parts: 1 file generated\./ },
      {
        words: ['run', '/parts', '--args-json', addRecord('HAMMER')],
        out: '',
        err: /Do not shout\./,
        code: 2,
      },
      { words: ['run', '/parts', '--args-json', addRecord('Drill')], out: /^Added record 1 to parts\./ },
      { words: ['run', '/parts', 'how many are there?'], out: /\b1\b/ },
    ],
    startsProcess: true,
  },
  subagent: {
    made: ['subagent', 'helper'],
    reply: lookFirst,
    steps: [{ words: ['run', '/helper', 'What is it about?'], out: `${answer}\n` }],
    startsProcess: false,
  },
};

/** Makes the skill in a new project and takes the steps, allowing what is asked; everything that was said on stderr. */
export async function takeJourney(
  { made, edit, reply, steps }: FamilyJourney,
  how: Pick<ProcessOptions, 'main' | 'through'> = {},
): Promise<string> {
  using files = tree({ '.git/HEAD': '', 'README.md': readme });
  symlinkSync(join(root, 'node_modules'), files.at('node_modules')); // the programs of the project
  await using server = await openModelServer(({ body }: ServedRequest) => reply(JSON.stringify(body)));
  const env = { HOME: files.at('home'), PATH: '/usr/bin:/bin', ...modelVariables(server) };
  const options = { ...how, env, cwd: files.path };

  cpSync(await writtenBy(made, how.main), files.path, { recursive: true });
  edit?.(files);
  let said = '';
  for (const { words, out, err = /^/, code = 0 } of steps) {
    const ended = await runCommand([...words, '--yes'], options);
    const shown = `${words.join(' ')}\n${ended.out}\n${ended.err}`;
    assert.equal(ended.code, code, shown);
    if (typeof out === 'string') assert.equal(ended.out, out, shown);
    else assert.match(ended.out, out, shown);
    assert.match(ended.err, err, shown);
    said += ended.err;
  }
  return said;
}

const written = new Map<string, Promise<string>>();
const kept = new DisposableStack();
process.once('exit', () => {
  kept.dispose();
});

/** A folder with what `skilled new` writes in an empty project; it needs no sandbox, so it is called once for each kind. */
function writtenBy(made: readonly string[], main: string | undefined): Promise<string> {
  const key = JSON.stringify([made, main]);
  const known = written.get(key) ?? write(made, main);
  written.set(key, known);
  return known;
}

async function write(made: readonly string[], main: string | undefined): Promise<string> {
  const files = kept.use(tree({ '.git/HEAD': '', 'README.md': readme }));
  const env = { HOME: files.at('home'), PATH: '/usr/bin:/bin' };
  const options = { ...(main === undefined ? {} : { main }), env, cwd: files.path };
  const ended = await runCommand(['new', ...made], options);
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
