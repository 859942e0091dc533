import { taken } from './primordials.ts';

const holders: readonly object[] = [
  ...[Object.prototype, Array.prototype, Function.prototype, String.prototype, Promise.prototype],
  ...[Map.prototype, Set.prototype, Number.prototype, RegExp.prototype, Date.prototype],
  ...[Object, Array, Promise, JSON, Number, Date, Math],
];

/** Detects whether a call changed the process. Only an unchanged process may run another call. */
export interface Leftovers {
  /**
   * Accepts the current built-ins as unchanged. Called after a module has loaded, because modules can
   * change built-ins while loading.
   */
  accept(): void;
  /** Records the state at the start of a call. */
  begin(): void;
  /**
   * Returns whether the call left no timer, socket or other open resource, and did not change the built-ins
   * or the working folder.
   */
  areNone(): boolean;
}

interface Snapshot {
  readonly holder: Readonly<Record<PropertyKey, unknown>>;
  readonly keys: readonly PropertyKey[];
  readonly values: readonly unknown[];
}

/** Creates a detector. It checks only those built-ins on which the others depend. */
export function createLeftovers(): Leftovers {
  let snapshots: Snapshot[] = [];
  let resources = 0;
  let folder = '';
  return {
    accept() {
      snapshots = [];
      for (let index = 0; index < holders.length; index += 1)
        snapshots[index] = takeSnapshot(holders[index] ?? {});
    },
    begin() {
      resources = taken.resources().length;
      folder = workingFolder();
    },
    areNone() {
      if (taken.resources().length > resources || workingFolder() !== folder) return false;
      for (let index = 0; index < snapshots.length; index += 1) {
        const one = snapshots[index];
        if (one !== undefined && !isUnchanged(one)) return false;
      }
      return true;
    },
  };
}

function workingFolder(): string {
  try {
    return taken.folder();
  } catch {
    return ''; // The working folder no longer exists.
  }
}

function takeSnapshot(holder: object): Snapshot {
  const keys = taken.ownKeys(holder);
  const values: unknown[] = [];
  for (let index = 0; index < keys.length; index += 1) values[index] = valueAt(holder, keys[index] ?? '');
  return { holder: holder as Snapshot['holder'], keys, values };
}

/** Reads a property. Returns undefined for accessors, since some throw when they are read. */
function valueAt(holder: object, key: PropertyKey): unknown {
  const descriptor = taken.descriptorOf(holder, key);
  return descriptor !== undefined && taken.hasOwn(descriptor, 'value') ? descriptor.value : undefined;
}

function isUnchanged({ holder, keys, values }: Snapshot): boolean {
  if (taken.ownKeys(holder).length !== keys.length) return false;
  for (let index = 0; index < keys.length; index += 1) {
    const value = values[index];
    if (value !== undefined && !taken.is(holder[keys[index] ?? ''], value)) return false;
  }
  return true;
}
