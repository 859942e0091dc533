import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import { skillText, tree, type Tree } from './tree.ts';

/** The exit code and output of a command. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process with a terminal that only records output. */
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

/**
 * Runs `daily`, which calls `gather` and the given `fetch`, in a store. Resolves with the id of the completed
 * run.
 */
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

/** Parses stdout as one JSON document. Fails the test if it is anything else. */
export function documentOf({ out }: Ended): Record<string, unknown> {
  const document: unknown = JSON.parse(out);
  assert.ok(typeof document === 'object' && document !== null && !Array.isArray(document));
  assert.ok(out.endsWith('}\n'));
  return document as Record<string, unknown>;
}

/** A skill in the output of `list --json`. */
export interface SkillDocument {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly source: string;
  readonly status: string;
  readonly missing?: readonly { readonly name: string }[];
  readonly shadowedBy?: string;
}

/** Returns the skills in the output of `list --json`. */
export function skillsIn(ended: Ended): readonly SkillDocument[] {
  return documentOf(ended)['skills'] as readonly SkillDocument[];
}

/** Returns the error that a failed command printed. */
export function errorIn(ended: Ended): {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
} {
  const document = documentOf(ended);
  assert.equal(document['ok'], false);
  return document['error'] as { code: string; message: string; hint?: string };
}

/**
 * Gives this process an empty home folder and no settings, because the developer's home may contain skills.
 */
export function leaveHome(): void {
  const home = mkdtempSync(join(tmpdir(), 'skilled-home-'));
  process.env['HOME'] = home;
  const preferences =
    /^(?:SKILLED_(?!STRESS$|NO_SKIP$|TEST_POSTGRES$).*|XDG_(?:CONFIG|CACHE)_HOME|NO_COLOR|FORCE_COLOR)$/;
  const providers = /^(?:ANTHROPIC|OPENAI|GOOGLE_GENERATIVE_AI|GEMINI|OPENROUTER)_(?:API_KEY|BASE_URL)$/;
  for (const name of Object.keys(process.env))
    if (preferences.test(name) || providers.test(name)) Reflect.deleteProperty(process.env, name);
  process.on('exit', () => {
    rmSync(home, { recursive: true, force: true });
  });
}

/** Returns the variable that makes another process use this process's stores, whatever its home folder is. */
export function sameUser(): { readonly SKILLED_HOME: string } {
  const { HOME = '', SKILLED_HOME = join(HOME, '.skilled') } = process.env;
  return { SKILLED_HOME };
}

/** Returns the events on stdout, which has one per line. */
export function linesOf({ out }: Ended): readonly Record<string, unknown>[] {
  assert.ok(out.endsWith('\n'));
  const lines = out.slice(0, -1).split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Frontmatter of a skill with three requirements that no machine meets. */
export const needs =
  'metadata: {skilled: {requires: {bins: [no-such-a, no-such-b], env: [NO_SUCH_VARIABLE]}}}\n';

/** Creates a repository with two skills: `alpha` is ready, and `beta` has requirements that are not met. */
export function workspace(more: Readonly<Record<string, string>> = {}): Tree {
  return tree({
    '.git/HEAD': '',
    'skills/alpha/SKILL.md': skillText('alpha', 'Does the first thing.'),
    'skills/beta/SKILL.md': skillText('beta', 'Does the second thing.', needs),
    ...more,
  });
}
