import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import type { Ended } from './command.ts';
import { compileCache } from './compile-cache.ts';
import { installedMain } from './installed.ts';

/** How to start a command as a process. */
export interface ProcessOptions {
  /** The complete environment, except for the compile cache. Empty by default. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Options for Node itself. */
  readonly node?: readonly string[];
  /** A program and its arguments that in turn start Node. */
  readonly wrapper?: readonly string[];
  /** The CLI's entry file, if the package is installed elsewhere. */
  readonly main?: string;
  /** The text on stdin. Empty by default. */
  readonly input?: string;
}

/** Runs a command of the installed package as a process and resolves when it exits. */
export function runCommand(args: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  return startCommand(args, options).ended;
}

/** A running command. */
export interface Started {
  readonly child: ChildProcess;
  /** Resolves when stdout or stderr contains the text. */
  printed(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** Starts a command of the installed package as a process that the test can interact with. */
export function startCommand(args: readonly string[], options: ProcessOptions = {}): Started {
  const { env = {}, cwd, node = [], wrapper = [], main = installedMain, input = '' } = options;
  const [program = '', ...rest] = [...wrapper, process.execPath, ...node, main, ...args];
  const child = spawn(program, rest, {
    env: { ...compileCache(), ...env },
    cwd,
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined); // the process may exit without reading stdin
  child.stdin.end(input);
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, ...output });
    });
  });
  const printed = async (text: string): Promise<void> => {
    const isOver = ended.then(() => true);
    while (!`${output.out}${output.err}`.includes(text)) {
      const later = new Promise<false>((resolve) => setTimeout(resolve, 20, false));
      assert.equal(await Promise.race([isOver, later]), false, `${output.out}${output.err}`);
    }
  };
  return { child, printed, ended };
}
