import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { tree, type Tree } from './tree.ts';

/**
 * Returns the paths that git ignores below a folder. Turns the folder into a repository without any user
 * settings.
 */
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

/** The environment in which git ignores the user's settings. */
export const gitEnvironment: Readonly<Record<string, string>> = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

/** Runs git in a folder. Throws if git fails. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], ...gitEnvironment };
  return execFileSync('git', args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Creates a temporary folder that contains a repository with one commit on the branch `master`. */
export function repository(below = '.'): Tree {
  const files = tree({ [`${below}/a`]: 'a\n' });
  git(files.at(below), 'init', '-q', '-b', 'master', '.');
  git(files.at(below), 'add', 'a');
  git(files.at(below), 'commit', '-q', '-m', 'first');
  return files;
}
