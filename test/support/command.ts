import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
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
  how: Partial<Pick<Terminal, 'width' | 'color' | 'progress'>> = {},
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

const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');

/** Runs a command as a process of its own, with this environment and nothing of ours. */
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
  const ended = spawnSync(process.execPath, [...node, main, ...args], { encoding: 'utf8', env, cwd, input });
  return { code: ended.status, out: ended.stdout, err: ended.stderr };
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
  for (const name of ['SKILLED_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'NO_COLOR', 'FORCE_COLOR']) {
    Reflect.deleteProperty(process.env, name);
  }
  process.on('exit', () => {
    rmSync(home, { recursive: true, force: true });
  });
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
