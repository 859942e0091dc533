import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { digestFolder } from '../../src/files/digest.ts';
import { settleInstalled } from '../../src/install/drift.ts';
import { readLock } from '../../src/install/lock-file.ts';
import { installTarget } from '../../src/install/target.ts';
import { compileCache } from '../support/compile-cache.ts';
import { installedMain } from '../support/installed.ts';
import { skillText, tree, type Tree } from '../support/tree.ts';

// Kills the process before or after the n-th call that changes the disk.
const killer = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const limit = Number(process.env.KILL_AT);
let count = 0;
for (const name of ['renameSync', 'writeFileSync', 'mkdirSync', 'rmSync', 'openSync', 'chmodSync', 'fsyncSync']) {
  const real = fs[name];
  fs[name] = (...args) => {
    const isOurs = typeof args[0] === 'number' || String(args[0]).startsWith(process.env.KILL_BELOW);
    if (isOurs && ++count === limit) process.kill(process.pid, 'SIGKILL');
    return real.apply(fs, args);
  };
}
syncBuiltinESMExports();
process.on('exit', () => fs.writeSync(3, String(count)));
`;

/** A project with an installed skill, and a source with its next version and a second skill. */
export interface KillStage extends Disposable {
  /** Runs the update, killed at the n-th change of the disk. Returns the number of changes if it was not killed. */
  run(killAt: number): number | undefined;
  /** Completes what was left unfinished, as the next start does, and checks that everything is old or new. */
  check(): 'old' | 'new';
  reset(): void;
}

/** Installs the first version with the installed package. */
export function openKillStage(): KillStage {
  const files: Tree = tree({
    'killer.mjs': killer,
    'v1/greet/SKILL.md': skillText('greet'),
    'v1/greet/scripts/old.sh': 'echo old\n',
    'v2/greet/SKILL.md': skillText('greet', 'The next version.'),
    'v2/greet/scripts/new.sh': 'echo new\n',
    'v2/other/SKILL.md': skillText('other'),
    'project/.git/HEAD': '',
    'home/x': '',
  });
  const target = installTarget(files.at('project'));
  const digests = { old: '', new: '' };
  const start = (args: readonly string[], killAt: number): ReturnType<typeof spawnSync> =>
    spawnSync(
      process.execPath,
      [
        '--import',
        files.at('killer.mjs'),
        installedMain,
        ...args,
        '--yes',
        '--quiet',
        '--cwd',
        files.at('project'),
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        env: {
          ...compileCache(),
          PATH: process.env['PATH'],
          HOME: files.at('home'),
          KILL_AT: String(killAt),
          KILL_BELOW: files.at('project'),
        },
      },
    );
  const install = (version: string, killAt = 0): ReturnType<typeof start> =>
    start(['add', files.at(version), '--all', '--force'], killAt);
  const folder = join(target.skills, 'greet');
  const reset = (): void => {
    settleInstalled(target);
    const ended = install('v1');
    assert.equal(ended.status, 0, String(ended.stderr));
    start(['remove', 'other', '--force'], 0);
    digests.old = digestFolder(folder);
  };
  reset();
  assert.equal(install('v2').status, 0);
  digests.new = digestFolder(folder);
  reset();
  return {
    run(killAt) {
      const ended = install('v2', killAt);
      if (ended.signal === 'SIGKILL') return undefined;
      assert.equal(ended.status, 0, String(ended.stderr));
      return Number(String(ended.output[3]));
    },
    check() {
      settleInstalled(target);
      const lock = readLock(target.lockFile);
      const digest = digestFolder(folder);
      assert.equal(lock.get('greet')?.digest, digest, 'the lock and the folder agree');
      const state = digest === digests.new ? 'new' : 'old';
      assert.equal(digest, digests[state]);
      assert.equal(
        existsSync(join(target.skills, 'other')),
        state === 'new',
        'all skills of a command are one change',
      );
      assert.equal(lock.has('other'), state === 'new');
      assert.ok(!existsSync(join(target.state, 'changes.json')));
      assert.deepEqual(readdirSync(files.at('project')).sort(), ['.agents', '.git', 'skilled-lock.json']);
      assert.ok(readFileSync(target.lockFile, 'utf8').endsWith('}\n'));
      return state;
    },
    reset,
    [Symbol.dispose]: () => files[Symbol.dispose](),
  };
}
