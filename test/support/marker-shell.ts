import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { minute } from './deadline.ts';
import { tree, type Tree } from './tree.ts';

/** A shell whose programs only record that they ran, and with which arguments. */
export interface MarkerShell extends Disposable {
  /**
   * Runs a script and resolves with the recorded argument lists. Waits for the script's background processes
   * too.
   */
  run(script: string, shell?: string): Promise<readonly (readonly string[])[]>;
}

const real = ['env', 'timeout', 'nice', 'xargs', 'find', 'sh', 'bash', 'stdbuf', 'setsid', 'nohup'];

/** Creates a folder with marker programs of these names and a few real programs that can start others. */
export function createMarkerShell(names: readonly string[]): MarkerShell {
  const folder = tree();
  const evil = ['evil', '1', '10'];
  for (const name of names) mark(folder, `bin/${name}`, name, name === 'fail' ? 1 : 0);
  // These programs would run if a script changed PATH or a similar variable.
  for (const name of names) for (const variant of evil) mark(folder, `places/${variant}/${name}`, 'evil', 0);
  for (const name of real) symlinkSync(realPath(name), folder.at('bin', name));
  return {
    async run(script, shell = 'bash') {
      // Each script gets its own folder, so that it cannot run what another script wrote.
      const home = mkdtempSync(folder.at('home-'));
      for (const variant of evil) symlinkSync(folder.at('places', variant), join(home, variant));
      try {
        return await run(folder, home, script, shell);
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

// The markers write to a stream that all processes inherit, so the stream closes when the last process exits.
async function run(
  folder: Tree,
  home: string,
  script: string,
  shell: string,
): Promise<readonly (readonly string[])[]> {
  const child = spawn(`/bin/${shell}`, ['-c', '--', script], {
    cwd: home,
    env: { PATH: folder.at('bin') },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const limit = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), minute);
  const said = await text(child.stdio[3] as Readable);
  clearTimeout(limit);
  return said
    .split('\u001e\u001f')
    .slice(0, -1)
    .map((words) => words.split('\u001f').slice(0, -1));
}

function mark(folder: Tree, path: string, name: string, status: number): void {
  const program = `#!/bin/sh\nprintf '%s\\037' ${name} "$@" '\u001e' >&3\nexit ${status}\n`;
  chmodSync(folder.write(path, program), 0o755);
}

function realPath(name: string): string {
  return name === 'sh' || name === 'bash' ? `/bin/${name}` : `/usr/bin/${name}`;
}
