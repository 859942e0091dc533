import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

let idSpace: string | undefined;

/**
 * Returns the name under which this process claims runs. On Linux, the name includes a digest of the boot id
 * and the PID namespace.
 */
export function processOwner(): string {
  const space = ownIdSpace();
  return `${process.pid}@${hostname()}${space === '' ? '' : `/${space}`}`;
}

/** Whether a run's owner is a process on this machine that has definitely ended. */
export function isOwnerGone(owner: string): boolean {
  const [, pid = '', space = ''] = /^(\d+)@[^]*\/([0-9a-f]{12})$/.exec(owner) ?? [];
  if (pid === '' || space !== ownIdSpace()) return false;
  try {
    process.kill(Number(pid), 0); // Signal 0 only tests whether the process exists.
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * Returns a digest of the machine's boot id and the PID namespace, within which process ids are unique.
 * Returns an empty string if either is unknown; other processes then rely on the heartbeat alone.
 */
function ownIdSpace(): string {
  return (idSpace ??= process.platform === 'linux' ? readIdSpace() : '');
}

function readIdSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return hash('sha256', `${boot} ${readlinkSync('/proc/self/ns/pid')}`).slice(0, 12);
  } catch {
    return ''; // Without /proc, process ids cannot be compared.
  }
}
