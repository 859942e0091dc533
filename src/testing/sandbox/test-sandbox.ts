import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ProcessCommand, ProcessResult, Grant, Sandbox } from '../../core/index.ts';

/** Opens a sandbox with a grant. */
export type OpenSandbox = (grant: Grant) => Promise<Sandbox>;

/** A `PATH` that is valid on every supported machine. */
export const path = '/usr/local/bin:/usr/bin:/bin';

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/**
 * A sandbox, a folder that it can write to, and a folder that it cannot access by default. Disposing the
 * stage closes the sandbox and removes both folders.
 */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** The real path of the writable folder. */
  readonly workspace: string;
  /** The real path of the inaccessible folder, which contains the file `secret.txt`. */
  readonly outside: string;
  /** Runs a shell script. */
  run(script: string, more?: Partial<ProcessCommand>): Promise<ProcessResult>;
  /** Runs a shell script and returns its output without surrounding white space. */
  print(script: string, more?: Partial<ProcessCommand>): Promise<string>;
  /** Runs JavaScript code in Node. The code is passed as a single argument, so it needs no shell quoting. */
  node(script: string, ...args: readonly string[]): Promise<ProcessResult>;
}

/**
 * Creates the two folders and opens a sandbox. `more` overrides parts of the grant. It can be a function of
 * the paths of the two folders.
 */
export async function stage(
  open: OpenSandbox,
  more: Partial<Grant> | ((workspace: string, outside: string) => Partial<Grant>) = {},
): Promise<Stage> {
  const workspace = makeFolder({});
  const outside = makeFolder({ 'secret.txt': 'SECRET' });
  const sandbox = await open({
    read: [],
    write: [workspace],
    hosts: [],
    environment: { PATH: path },
    ...(typeof more === 'function' ? more(workspace, outside) : more),
  });
  const run: Stage['run'] = (script, rest) => sandbox.run(shell(script, rest), never);
  return {
    sandbox,
    workspace,
    outside,
    run,
    print: async (script, rest) => (await run(script, rest)).stdout.trim(),
    node: (script, ...args) =>
      sandbox.run({ program: process.execPath, arguments: ['--eval', script, ...args] }, never),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      for (const folder of [workspace, outside])
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Creates a command that runs a shell script. */
export function shell(script: string, more: Partial<ProcessCommand> = {}): ProcessCommand {
  return { program: 'sh', arguments: ['-c', script], ...more };
}

function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skilled-sandbox-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
