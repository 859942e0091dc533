import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { tree, type Tree } from './tree.ts';

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

/** What git finds in its environment, so that no settings of the user count. */
export const gitEnvironment: Readonly<Record<string, string>> = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

/** Runs git in a folder; throws when it fails. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], ...gitEnvironment };
  return execFileSync('git', args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A temporary folder with a repository of one commit in it, on the branch `master`. */
export function repository(below = '.'): Tree {
  const files = tree({ [`${below}/a`]: 'a\n' });
  git(files.at(below), 'init', '-q', '-b', 'master', '.');
  git(files.at(below), 'add', 'a');
  git(files.at(below), 'commit', '-q', '-m', 'first');
  return files;
}
