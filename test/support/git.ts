import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';

/** The paths below a folder that git ignores; the folder becomes a repository that no user settings reach. */
export function ignoredByGit(dir: string, paths: readonly string[]): ReadonlySet<string> {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['init', '--quiet', '--template='], { cwd: dir, env });
  const { stdout, stderr, status } = spawnSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
    cwd: dir,
    env,
    input: paths.join('\0'),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.ok(status === 0 || status === 1, stderr);
  return new Set(stdout.split('\0'));
}
