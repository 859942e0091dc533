import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import { compileCache } from './compile-cache.ts';
import { skillText, tree, type Tree } from './tree.ts';

/** What a command came to. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, on a terminal that only writes down. */
export async function call(
  args: readonly string[],
  how: Partial<Pick<Terminal, 'width' | 'color' | 'progress' | 'live' | 'ask' | 'openLines' | 'err'>> = {},
): Promise<Ended> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    progress: () => undefined,
    width: undefined,
    color: false,
    ...how,
  };
  const code = await runCommandLine(args, terminal);
  return { code, out, err };
}

const root = join(import.meta.dirname, '..', '..');
const main = join(root, 'src', 'cli', 'main.ts');

/** Runs a command as a process of its own, with this environment and nothing of ours but compiled code. */
export function spawnCommand(
  args: readonly string[],
  how: {
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly node?: readonly string[];
    /** What it reads from stdin. */
    readonly input?: string;
  } = {},
): Ended {
  const { env = {}, cwd, node = [], input } = how;
  const ended = spawnSync(process.execPath, [...node, main, ...args], {
    ...{ encoding: 'utf8', cwd, input },
    env: { ...compileCache(), ...env },
  });
  return { code: ended.status, out: ended.stdout, err: ended.stderr };
}

/** A command that goes on. */
export interface Started {
  readonly child: ChildProcess;
  /** Resolves when this stands in stdout or stderr. */
  told(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** Starts a command as a process of its own, to be talked to while it runs. */
export function startCommand(
  args: readonly string[],
  how: {
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly node?: readonly string[];
    /** What it reads from stdin; nothing unless given. */
    readonly input?: string;
  } = {},
): Started {
  const { env = {}, cwd, node = [], input = '' } = how;
  const child = spawn(process.execPath, [...node, main, ...args], {
    env: { ...compileCache(), ...env },
    cwd,
    stdio: 'pipe',
  });
  child.stdin.end(input);
  const heard = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (heard.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (heard.err += text));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, ...heard });
    });
  });
  const told = async (text: string): Promise<void> => {
    const isOver = ended.then(() => true);
    while (!`${heard.out}${heard.err}`.includes(text)) {
      const later = new Promise<false>((resolve) => setTimeout(resolve, 20, false));
      assert.equal(await Promise.race([isOver, later]), false, `${heard.out}${heard.err}`);
    }
  };
  return { child, told, ended };
}

/** What lets a process of the program know more skills: `sleep` ends when it is stopped, `errand` asks for approval of `lend`, `vigil` goes on while it asks for that, `consult` asks the model for plans. */
export function moreSkills(files: Tree): readonly string[] {
  const source = (file: string): string => JSON.stringify(pathToFileURL(join(root, 'src', file)).href);
  const builtins = files.write(
    'more-skills.mjs',
    `import { defineSkill } from ${source('core/define-skill.ts')};
import { collect } from ${source('core/model.ts')};
import { builtinSkills as usual } from ${source('builtins/index.ts').replace(/"$/, '?usual"')};
const done = (text) => ({ status: 'done', text });
export const builtinSkills = [
  ...usual,
  defineSkill({ name: 'sleep', description: 'Sleeps.', readOnly: true, async run(_, scope) {
    process.stderr.write('asleep\\n');
    await new Promise((resolve) => scope.signal.addEventListener('abort', resolve));
    return done('woken');
  } }),
  defineSkill({ name: 'lend', description: 'Lends.', permission: 'Lend', async run(input) { return done('lent ' + JSON.stringify(input)); } }),
  defineSkill({ name: 'consult', description: 'Asks a model.', readOnly: true, async run(input, scope) {
    const { text, error } = await collect(scope.model('plan').stream({ messages: [{ role: 'user', text: input }] }, scope.signal));
    return error === undefined ? done(text) : { status: 'failed', text: error.message, error };
  } }),
  defineSkill({ name: 'vigil', description: 'Waits for a loan.', readOnly: true, async run(input, scope) {
    const lent = scope.call('lend', 'one');
    await scope.step('wait', () => lent.then(() => null));
    return lent;
  } }),
  defineSkill({ name: 'errand', description: 'Runs an errand.', readOnly: true, async run(input, scope) {
    const outputs = [await scope.call('lend', 'one'), await scope.call('lend', 'two')];
    return done(outputs.map(({ text }) => text).join('\\n'));
  } }),
];
`,
  );
  const hook = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, from, next) {
  const found = next(name, from);
  return found.url === ${source('builtins/index.ts')} ? { ...found, url: ${JSON.stringify(pathToFileURL(builtins).href)} } : found;
} });`;
  return ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
}

/** Runs `daily`, which calls `gather` and this `fetch`, in a store; resolves with the id of the run, which is done. */
export async function writeHistory(store: string): Promise<string> {
  await using agent = new RecursiveSkilledAgent({ store });
  const fetch = defineSkill({
    name: 'fetch',
    description: 'Fetches a page.',
    allowedSkills: [],
    async run(page, scope) {
      await scope.step('get', () => Promise.resolve(1));
      if (page === 'bad') throw new Error('no \u001b[31mnet');
      return { status: 'done', text: `page ${JSON.stringify(page)}` };
    },
  });
  const gather = defineSkill({
    name: 'gather',
    description: 'Gathers pages.',
    async run(_input, scope) {
      await scope.call('fetch', 'bad');
      await scope.call('nowhere', null);
      return { status: 'done', text: 'gathered' };
    },
  });
  const daily = defineSkill({
    name: 'daily',
    description: 'Reads the news.',
    async run(_input, scope) {
      await scope.call('gather', { day: 'monday' });
      for (const page of [1, 2, 3]) await scope.call('fetch', page);
      return { status: 'done', text: 'all\nread', value: { pages: 3 } };
    },
  });
  for (const skill of [fetch, gather, daily]) agent.skills.register(skill);
  const handle = agent.run({ skill: 'daily', input: { input: 'the news' }, session: 'mine' });
  assert.equal((await handle.result).status, 'done');
  return handle.id;
}

/** Stdout as the one JSON document that it must be. */
export function documentOf({ out }: Ended): Record<string, unknown> {
  const document: unknown = JSON.parse(out);
  assert.ok(typeof document === 'object' && document !== null && !Array.isArray(document));
  assert.ok(out.endsWith('}\n'));
  return document as Record<string, unknown>;
}

/** A skill of `list --json`. */
export interface SkillDocument {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly source: string;
  readonly status: string;
  readonly missing?: readonly { readonly name: string }[];
  readonly shadowedBy?: string;
}

/** The skills that `list --json` tells of. */
export function skillsIn(ended: Ended): readonly SkillDocument[] {
  return documentOf(ended)['skills'] as readonly SkillDocument[];
}

/** The error that a failed command tells of. */
export function errorIn(ended: Ended): {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
} {
  const document = documentOf(ended);
  assert.equal(document['ok'], false);
  return document['error'] as { code: string; message: string; hint?: string };
}

/** Gives this process an empty home and no wishes: whoever runs the tests may have skills of their own. */
export function leaveHome(): void {
  const home = mkdtempSync(join(tmpdir(), 'skilled-home-'));
  process.env['HOME'] = home;
  const wishes = /^(?:SKILLED_(?!STRESS$|NO_SKIP$).*|XDG_(?:CONFIG|CACHE)_HOME|NO_COLOR|FORCE_COLOR)$/;
  const providers = /^(?:ANTHROPIC|OPENAI|GOOGLE_GENERATIVE_AI|GEMINI|OPENROUTER)_(?:API_KEY|BASE_URL)$/;
  for (const name of Object.keys(process.env))
    if (wishes.test(name) || providers.test(name)) Reflect.deleteProperty(process.env, name);
  process.on('exit', () => {
    rmSync(home, { recursive: true, force: true });
  });
}

/** The events that stand on stdout, one in each line. */
export function linesOf({ out }: Ended): readonly Record<string, unknown>[] {
  assert.ok(out.endsWith('\n'));
  const lines = out.slice(0, -1).split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Frontmatter of a skill that misses three things on every machine. */
export const needs =
  'metadata: {skilled: {requires: {bins: [no-such-a, no-such-b], env: [NO_SUCH_VARIABLE]}}}\n';

/** A repository with two skills: `alpha` is ready, `beta` misses something. */
export function workspace(more: Readonly<Record<string, string>> = {}): Tree {
  return tree({
    '.git/HEAD': '',
    'skills/alpha/SKILL.md': skillText('alpha', 'Does the first thing.'),
    'skills/beta/SKILL.md': skillText('beta', 'Does the second thing.', needs),
    ...more,
  });
}
