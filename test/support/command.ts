import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

/** What a command came to. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, on a terminal that only writes down. */
export async function call(
  args: readonly string[],
  how: Partial<Pick<Terminal, 'width' | 'color'>> = {},
): Promise<Ended> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
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
  } = {},
): Ended {
  const { env = {}, cwd, node = [] } = how;
  const ended = spawnSync(process.execPath, [...node, main, ...args], { encoding: 'utf8', env, cwd });
  return { code: ended.status, out: ended.stdout, err: ended.stderr };
}

/** Stdout as the one JSON document that it must be. */
export function documentOf({ out }: Ended): Record<string, unknown> {
  const document: unknown = JSON.parse(out);
  assert.ok(typeof document === 'object' && document !== null && !Array.isArray(document));
  assert.ok(out.endsWith('}\n'));
  return document as Record<string, unknown>;
}
