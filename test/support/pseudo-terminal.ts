import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { shellWord } from '../../src/cli/output/command-text.ts';
import { compileCache } from './compile-cache.ts';
import { installedMain } from './installed.ts';
import { createScreen, type Screen } from './screen.ts';
import { settled, until } from './deadline.ts';

const { stdout: version } = spawnSync('script', ['--version'], { encoding: 'utf8' });

/** Why there is no pseudo-terminal here; false where there is one. */
export const withoutTerminal: string | false = /util-linux/.test(version)
  ? false
  : 'script of util-linux is not installed';

/** The program at a terminal of its own. */
export interface AtTerminal extends Disposable {
  readonly screen: Screen;
  /** Everything that was written, with its control sequences. */
  written(): string;
  type(keys: string): void;
  /** Resolves when the last rows, joined by line ends, look like this. */
  shows(pattern: RegExp): Promise<void>;
  /** Resolves with the exit code of the program. */
  ended(): Promise<number | null>;
}

/** How the program is started. */
export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** Shell commands that follow when it is over. */
  readonly then?: string;
}

const height = 30;

/** Starts the program at a pseudo-terminal. */
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
  child.stdin.on('error', () => undefined); // it may be over
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
    async shows(pattern) {
      const shown = (): string => screen.rows().join('\n').trimEnd();
      const isShown = (): boolean => pattern.test(shown());
      await until(() => isOver || isShown()).catch(() => undefined); // then what is shown instead is said
      assert.ok(isShown(), `${String(pattern)} is not shown:\n${shown()}`);
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
