import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { compileCache } from './compile-cache.ts';
import { installedMain } from './installed.ts';
import { settled } from './kernel.ts';

/** A `skilled mcp` process that the test communicates with in raw lines. */
export interface McpProcess extends AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** All lines of stdout. */
  readonly lines: readonly string[];
  readonly err: () => string;
  readonly ended: Promise<number | null>;
  send(message: string | object): void;
  /** Resolves with the first message that matches. */
  waitForMessage(
    holds: (message: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<Record<string, unknown>>;
}

/** Returns the environment of a `skilled mcp` process with its own home folder. */
export function mcpEnvironment(home: string): Record<string, string> {
  return { ...compileCache(), PATH: process.env['PATH'] ?? '', HOME: home, SKILLED_HOME: join(home, 'own') };
}

/** Starts `skilled mcp` with these arguments. */
export function startMcp(args: readonly string[], home: string): McpProcess {
  const child = spawn(process.execPath, [installedMain, 'mcp', ...args], {
    env: mcpEnvironment(home),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let err = '';
  let wake = Promise.withResolvers<undefined>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake.resolve(undefined);
    wake = Promise.withResolvers();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.on('error', () => undefined); // the process may have exited
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    child,
    lines,
    ended,
    err: () => err,
    send: (message) => {
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    },
    async waitForMessage(holds) {
      while (true) {
        const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(holds);
        if (found !== undefined) return found;
        const isOver = await settled(Promise.race([wake.promise, ended]), `an answer (${err})`);
        assert.equal(isOver, undefined, err);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
