import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import type { Ended } from './command.ts';
import { compileCache } from './compile-cache.ts';
import { installedMain } from './installed.ts';

/** How a command is started as a process. */
export interface ProcessOptions {
  /** The whole environment, but for compiled code; empty unless given. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Options of Node itself. */
  readonly node?: readonly string[];
  /** A program and its arguments that start Node in turn. */
  readonly wrapper?: readonly string[];
  /** The file that starts the command line, where the package is installed elsewhere. */
  readonly main?: string;
  /** What it reads from stdin; nothing unless given. */
  readonly input?: string;
}

/** Runs a command of the installed package as a process. */
export function runCommand(args: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  return startCommand(args, options).ended;
}

/** A command that is running. */
export interface Started {
  readonly child: ChildProcess;
  /** Resolves when stdout or stderr contains this. */
  printed(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** Starts a command of the installed package as a process, to be talked to while it runs. */
export function startCommand(args: readonly string[], options: ProcessOptions = {}): Started {
  const { env = {}, cwd, node = [], wrapper = [], main = installedMain, input = '' } = options;
  const [program = '', ...rest] = [...wrapper, process.execPath, ...node, main, ...args];
  const child = spawn(program, rest, {
    env: { ...compileCache(), ...env },
    cwd,
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined); // it may end without reading
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
