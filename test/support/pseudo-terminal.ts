import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { shellWord } from '../../src/cli/output/command-text.ts';
import { compileCache } from './compile-cache.ts';
import { installedMain } from './installed.ts';
import { createScreen, type Screen } from './screen.ts';
import { settled, until } from './deadline.ts';
import { processesWith } from './processes-with.ts';

const { stdout: version } = spawnSync('script', ['--version'], { encoding: 'utf8' });

/** Why this machine has no pseudo-terminal, or false if it has one. */
export const withoutTerminal: string | false = /util-linux/.test(version)
  ? false
  : 'script of util-linux is not installed';

/** The program in its own pseudo-terminal. */
export interface AtTerminal extends Disposable {
  readonly screen: Screen;
  /** Returns all output, including control sequences. */
  written(): string;
  type(keys: string): void;
  /** Resolves when the last rows, joined by line breaks, match the pattern. */
  shows(pattern: RegExp): Promise<void>;
  /** Kills the program with SIGKILL. Its arguments must be different from those of all other programs. */
  kill(): void;
  /** Resolves with the program's exit code. */
  ended(): Promise<number | null>;
}

/** How to start the program. */
export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** Shell commands to run after the program exits. */
  readonly then?: string;
}

const height = 30;

/** Starts the program in a pseudo-terminal. */
export function openTerminal(args: readonly string[], options: TerminalOptions): AtTerminal {
  const { cwd, env, columns = 80, then = 'exit $code' } = options;
  const program = [process.execPath, installedMain, ...args].map(shellWord).join(' ');
  const command = `trap : INT; stty sane cols ${columns} rows ${height}; ${program}; code=$?; ${then}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd,
    env: {
      PATH: '/usr/bin:/bin',
      SHELL: '/bin/sh',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      ...compileCache(),
      ...env,
    },
    stdio: 'pipe',
  });
  const screen = createScreen(columns, height);
  let written = '';
  let isOver = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    screen.write(text);
  });
  child.stdin.on('error', () => undefined); // the program may have exited
  const over = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      isOver = true;
      resolve(code);
    });
  });
  return {
    screen,
    ended: () => settled(over, 'The end of the program'),
    written: () => written,
    type: (keys) => void child.stdin.write(keys),
    kill() {
      // `script` and the shell have the same text in their command lines, but run another program.
      for (const id of processesWith(args.join('\0'), process.execPath)) process.kill(id, 'SIGKILL');
    },
    async shows(pattern) {
      const shown = (): string => screen.rows().join('\n').trimEnd();
      const isShown = (): boolean => pattern.test(shown());
      await until(() => isOver || isShown()).catch(() => undefined); // a failure reports the actual screen
      assert.ok(isShown(), `${String(pattern)} is not shown:\n${shown()}`);
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
