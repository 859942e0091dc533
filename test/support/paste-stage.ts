import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { commands } from '../../src/cli/commands.ts';
import { shellWord } from '../../src/cli/output/command-text.ts';
import type { Ended } from './command.ts';
import { compileCache } from './compile-cache.ts';
import { installedMain } from './installed.ts';
import { tree } from './tree.ts';

/** A shell in one folder, and a project in another folder whose path contains a space. */
export interface PasteStage extends Disposable {
  /** Types a line into the shell. The shell is ended when `until` resolves. */
  type(line: string, until?: Promise<unknown>): Promise<Ended>;
  write(file: string, text: string): void;
}

/** The user's environment and files. */
export interface Seat {
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The project's files. */
  readonly files?: Readonly<Record<string, string>>;
  /** The files in the user's home folder. */
  readonly own?: Readonly<Record<string, string>>;
}

/** The flag that selects the project from the shell's folder. */
export const elsewhere = `--cwd '../my shop'`;

/** Opens a shell in which `skilled` and `npx skilled` run the installed package. */
export function openPasteStage({ env = {}, files = {}, own = {} }: Seat = {}): PasteStage {
  const stage = tree({ 'my shop/.git/HEAD': '', 'here/.git/HEAD': '', ...own });
  for (const [file, text] of Object.entries(files)) stage.write(join('my shop', file), text);
  const quoted = [process.execPath, installedMain].map(shellWord).join(' ');
  chmodSync(stage.write('bin/skilled', `#!/bin/sh\nexec ${quoted} "$@"\n`), 0o755);
  chmodSync(stage.write('bin/npx', `#!/bin/sh\nexec "$@"\n`), 0o755);
  const paths = [stage.at('bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  const variables = { HOME: stage.at('home'), PATH: paths, TMPDIR: process.env['TMPDIR'] ?? '/tmp' };
  return {
    type: (line, until) =>
      typed(line, until, { cwd: stage.at('here'), env: { ...variables, ...compileCache(), ...env } }),
    write: (file, text) => void stage.write(file, text),
    [Symbol.dispose]: () => {
      stage[Symbol.dispose]();
    },
  };
}

function typed(
  line: string,
  until: Promise<unknown> | undefined,
  how: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ended> {
  const child = spawn('sh', ['-c', line], { ...how, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { out: '', err: '' };
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  };
  const late = setTimeout(end, 120_000);
  void until?.then(end);
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  return new Promise((done) => {
    child.on('close', (code) => {
      clearTimeout(late);
      done({ code, ...output });
    });
  });
}

const verbs = ['help', ...commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])].join('|');

/** Returns the commands in a text: those in backticks, and one at the end of a line. */
export function commandsIn(text: string, program = 'skilled'): readonly string[] {
  const command = `${program} (?:${verbs})\\b`;
  return text.split('\n').flatMap((line) => {
    const marked = Array.from(
      line.matchAll(new RegExp(`\`(${command}[^\`]*)\``, 'g')),
      ([, one = '']) => one,
    );
    if (marked.length > 0) return marked;
    const bare = new RegExp(`^(?:.* )?(${command}.*)$`).exec(line)?.[1];
    return bare === undefined ? [] : [bare];
  });
}

/** Replaces a command's placeholders. Fails if angle brackets remain outside quotes. */
export function filled(command: string, values: Readonly<Record<string, string>>): string {
  const ready = Object.entries(values).reduce(
    (result, [name, value]) => result.replaceAll(name, value),
    command,
  );
  assert.doesNotMatch(ready.replace(/"[^"]*"|'[^']*'/g, ''), /[<>]/, command);
  return ready;
}
