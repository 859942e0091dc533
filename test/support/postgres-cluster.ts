import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache');

/**
 * Copies an empty cluster to `data`. The first call creates the cluster with this command, which takes a second;
 * later calls and processes reuse it.
 */
export async function makeCluster(command: readonly string[], data: string): Promise<void> {
  const [program = '', ...args] = command;
  const { mtimeMs, size } = statSync(command.at(-1) ?? '');
  const cached = join(cache, `postgres-${size}-${mtimeMs}-${process.getuid?.() ?? ''}`);
  if (existsSync(cached)) {
    await run('cp', ['-a', cached, data]);
    return;
  }
  const flags = ['--no-sync', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C'];
  await run(program, [...args, ...flags, '--pgdata', data], { cwd: dirname(data) });
  const own = `${cached}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  await run('cp', ['-a', data, own]);
  await rename(own, cached).catch(() => rm(own, { recursive: true })); // another process was faster
}
