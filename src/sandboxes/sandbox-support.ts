import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { reasonOf, type Grant } from '../core/index.ts';
import { countProcesses } from './bubblewrap/limits.ts';
import { startSandboxed } from './bubblewrap/start.ts';

/** The sandbox that this machine supports, or the reason why no sandbox works. */
export type SandboxSupport =
  | {
      readonly kind: 'bubblewrap';
      readonly version: string;
      /** The path of the sandbox program. */
      readonly path: string;
      /**
       * The mechanism that limits the memory of several processes together. With `watchdog`, skilled measures
       * it many times a second. With `cgroup`, the kernel limits it as well.
       */
      readonly limits: 'watchdog' | 'cgroup';
    }
  | { readonly kind: 'none'; readonly reason: string; readonly hint: string };

let known: Promise<SandboxSupport> | undefined;

/**
 * Runs a command in a sandbox to find out whether sandboxes work here. The test runs only once. Never
 * throws.
 */
export function findSandboxSupport(): Promise<SandboxSupport> {
  known ??= find();
  return known;
}

// skilled does not search PATH for bubblewrap, because a project can add its own programs to PATH.
const programFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/bin',
  '/run/wrappers/bin',
  '/run/current-system/sw/bin',
];

async function find(): Promise<SandboxSupport> {
  if (process.platform !== 'linux') {
    const reason = `Sandboxes are not supported on ${process.platform} yet.`;
    return { kind: 'none', reason, hint: 'Use Linux, or a Linux virtual machine.' };
  }
  const path = programFolders.map((folder) => `${folder}/bwrap`).find((program) => existsSync(program));
  if (path === undefined) {
    const reason = 'bwrap is not installed.';
    return { kind: 'none', reason, hint: 'Install bubblewrap, for example with "apt install bubblewrap".' };
  }
  try {
    const limits = await prove(path);
    const { stdout } = await promisify(execFile)(path, ['--version']);
    return { kind: 'bubblewrap', version: stdout.replace('bubblewrap', '').trim(), path, limits };
  } catch (thrown) {
    return {
      kind: 'none',
      reason: `bubblewrap does not work here. ${reasonOf(thrown)}`,
      hint: hintFor(thrown),
    };
  }
}

const nothing: Grant = { read: [], write: [], hosts: [], environment: { PATH: '/usr/bin:/bin' } };

/**
 * Runs a command that waits, and checks that no other processes are visible in its sandbox. Returns the
 * mechanism that limits its memory.
 */
async function prove(bubblewrap: string): Promise<'watchdog' | 'cgroup'> {
  const command = { program: 'cat', arguments: [] };
  const open = { reads: true, hasChannel: false };
  const options = { bubblewrap, grant: nothing, network: undefined, command, folder: '/tmp', ...open };
  const group = await startSandboxed(options);
  try {
    const processes = countProcesses(group.namespace);
    if (processes < 2 || processes > 4) throw new Error('The processes in the sandbox cannot be monitored.');
    group.stdin?.end();
    if ((await group.exited) !== 0) throw new Error('A test command in the sandbox failed.');
    return group.namespace.memory === undefined ? 'watchdog' : 'cgroup';
  } finally {
    await group.end();
    group.release();
  }
}

function hintFor(thrown: unknown): string {
  const reason = reasonOf(thrown);
  if (/unknown option/i.test(reason))
    return 'Install bubblewrap 0.8 with security fixes, or a later version.';
  return 'Allow user namespaces on this machine. In a container, use its options; otherwise, use sysctl or AppArmor.';
}
