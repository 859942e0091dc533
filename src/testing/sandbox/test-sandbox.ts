import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command, CommandResult, Grant, Sandbox } from '../../core/index.ts';

/** Opens a sandbox. */
export type OpenSandbox = (grant: Grant) => Promise<Sandbox>;

/** Where programs are on every machine. */
export const path = '/usr/local/bin:/usr/bin:/bin';

/** For commands that nobody stops. */
export const never: AbortSignal = new AbortController().signal;

/** A sandbox with a folder to write to and one that was not granted, both gone with their scope. */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Real path of the folder that may be written. */
  readonly workspace: string;
  /** Real path of a folder with the file `secret.txt`, which was not granted. */
  readonly outside: string;
  /** Runs a script of `sh`. */
  run(script: string, more?: Partial<Command>): Promise<CommandResult>;
  /** What a script of `sh` prints, without spaces around it. */
  print(script: string, more?: Partial<Command>): Promise<string>;
  /** Runs a script of Node; it comes as words, so that no quotes are in the way. */
  node(script: string, ...words: readonly string[]): Promise<CommandResult>;
}

/** Opens a stage. The grant may be made of the two folders. */
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
    node: (script, ...words) =>
      sandbox.run({ program: process.execPath, arguments: ['--eval', script, ...words] }, never),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      for (const folder of [workspace, outside])
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A command for `sh`. */
export function shell(script: string, more: Partial<Command> = {}): Command {
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
