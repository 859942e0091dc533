import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { reasonOf, type Grant } from '../core/index.ts';
import { countProcesses } from './bubblewrap/limits.ts';
import { startContained } from './bubblewrap/start.ts';

/** What this machine can keep processes in, or why it cannot. */
export type Containment =
  | {
      readonly kind: 'bubblewrap';
      readonly version: string;
      /** The program. */
      readonly path: string;
      /** What sees to it that processes together stay within limits. */
      readonly limits: 'watchdog';
    }
  | { readonly kind: 'none'; readonly reason: string; readonly hint: string };

let known: Promise<Containment> | undefined;

/** Finds out by running something in a sandbox; once, and never throws. */
export function findContainment(): Promise<Containment> {
  known ??= find();
  return known;
}

// Not along PATH, on which a project can put programs of its own.
const places = ['/usr/bin', '/usr/local/bin', '/bin', '/run/wrappers/bin', '/run/current-system/sw/bin'];

async function find(): Promise<Containment> {
  if (process.platform !== 'linux') {
    const reason = `There is no sandbox for ${process.platform} yet.`;
    return { kind: 'none', reason, hint: 'Use Linux, or a virtual machine with it.' };
  }
  const path = places.map((place) => `${place}/bwrap`).find((program) => existsSync(program));
  if (path === undefined) {
    const reason = 'The program bwrap is not installed.';
    return { kind: 'none', reason, hint: 'Install bubblewrap, for example with "apt install bubblewrap".' };
  }
  try {
    await prove(path);
    const { stdout } = await promisify(execFile)(path, ['--version']);
    return { kind: 'bubblewrap', version: stdout.replace('bubblewrap', '').trim(), path, limits: 'watchdog' };
  } catch (thrown) {
    return {
      kind: 'none',
      reason: `bubblewrap does not work here. ${reasonOf(thrown)}`,
      hint: hintFor(thrown),
    };
  }
}

const nothing: Grant = { read: [], write: [], hosts: [], environment: { PATH: '/usr/bin:/bin' } };

/** Runs a command that waits, and sees that it and nothing else is there. */
async function prove(bubblewrap: string): Promise<void> {
  const command = { program: 'cat', arguments: [] };
  const open = { reads: true, hasChannel: false };
  const wanted = { bubblewrap, grant: nothing, network: undefined, command, folder: '/tmp', ...open };
  const group = await startContained(wanted);
  try {
    const processes = countProcesses(group.namespace);
    if (processes < 2 || processes > 4) throw new Error('Its processes cannot be watched.');
    group.stdin?.end();
    if ((await group.exited) !== 0) throw new Error('A command in it failed.');
  } finally {
    await group.end();
    group.release();
  }
}

function hintFor(thrown: unknown): string {
  const reason = reasonOf(thrown);
  if (/unknown option/i.test(reason))
    return 'Install a newer bubblewrap: 0.8 with its security fixes, or later.';
  return 'Allow user namespaces on this machine: in a container by its options, else with sysctl or AppArmor.';
}
