import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWithin, systemCode } from '../../files/index.ts';

/** A control group (cgroup version 2) in which the kernel limits the memory of a sandbox's processes. */
export interface MemoryGroup {
  /**
   * Moves a running process into the group. Children that it starts later join the group too. Throws if the
   * kernel refuses.
   */
  add(id: number): void;
  /** Returns the size of the shared memory and in-memory files of all processes, in bytes. */
  sharedBytes(): number | undefined;
  /** Returns whether the kernel killed the processes because they used too much memory. */
  isOver(): boolean;
  /** Deletes the group, which must have no processes left. Never throws. */
  remove(): void;
}

/**
 * Creates a control group with a memory limit, or returns undefined if this user cannot create one. The
 * group is created in the folder `parent`. Its limit is slightly higher than `memoryBytes`, because the
 * kernel also counts its own buffers and cached files.
 */
export function createMemoryGroup(memoryBytes: number, parent = findParent()): MemoryGroup | undefined {
  if (parent === undefined) return undefined;
  const folder = join(parent, `${prefix}${process.pid}-${randomUUID()}`);
  const set = (file: string, value: string): void => writeFileSync(join(folder, file), value);
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  const remove = (): void => tryTo(() => rmdirSync(folder));
  try {
    set('memory.max', String(Math.ceil(memoryBytes * 1.125)));
    set('memory.oom.group', '1');
  } catch {
    remove();
    return undefined;
  }
  tryTo(() => set('memory.swap.max', '0')); // The file exists only if the kernel counts swap.
  return {
    add: (id) => set('cgroup.procs', String(id)),
    sharedBytes() {
      const [, bytes] = /^shmem (\d+)$/m.exec(textOf(join(folder, 'memory.stat'))) ?? [];
      return bytes === undefined ? undefined : Number(bytes);
    },
    isOver: () => /^oom_kill [1-9]/m.test(textOf(join(folder, 'memory.events'))),
    remove,
  };
}

const prefix = 'skilled-';

let known: { readonly parent: string | undefined } | undefined;

/** Returns the folder for new groups, or undefined if there is none. Searches for it only once. */
function findParent(): string | undefined {
  known ??= { parent: findParentIn(textOf('/proc/self/cgroup'), textOf('/proc/self/mountinfo')) };
  return known.parent;
}

/**
 * Returns the group in which this process can create groups with a memory limit: its own group or the
 * parent of that group. Also deletes the groups that ended processes left there. `own` and `mounts` have
 * the formats of `/proc/self/cgroup` and `/proc/self/mountinfo`.
 */
export function findParentIn(own: string, mounts: string): string | undefined {
  const [, path] = /^0::(\/.*)$/m.exec(own) ?? [];
  const [, root, top] = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mounts) ?? [];
  if (path === undefined || root === undefined || top === undefined || !isWithin(path, root))
    return undefined;
  const folder = join(top, path.slice(root === '/' ? 0 : root.length));
  const parent = [folder, dirname(folder)].find(
    (one) => isWithin(one, top) && /\bmemory\b/.test(textOf(join(one, 'cgroup.subtree_control'))),
  );
  if (parent !== undefined) removeLeftovers(parent);
  return parent;
}

/** Deletes the groups left by processes that were killed before they could delete them. */
function removeLeftovers(parent: string): void {
  tryTo(() => {
    for (const name of readdirSync(parent)) {
      const [, id] = /^skilled-(\d+)-/.exec(name) ?? [];
      if (id !== undefined && !isRunning(Number(id))) tryTo(() => rmdirSync(join(parent, name)));
    }
  });
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (thrown) {
    return systemCode(thrown) === 'EPERM'; // The process belongs to another user.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // The machine does not allow this. Memory is then limited only by measuring the processes from outside.
  }
}
