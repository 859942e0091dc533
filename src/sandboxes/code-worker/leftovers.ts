import { taken } from './primordials.ts';

const holders: readonly object[] = [
  ...[Object.prototype, Array.prototype, Function.prototype, String.prototype, Promise.prototype],
  ...[Map.prototype, Set.prototype, Number.prototype, RegExp.prototype, Date.prototype],
  ...[Object, Array, Promise, JSON, Number, Date, Math],
];

/** Finds out whether a call left the process as it was, so that the next one finds nothing of it. */
export interface Leftovers {
  /** Takes the language as it is now for what it should be: modules may change it as they are loaded. */
  accept(): void;
  /** A call begins. */
  begin(): void;
  /** Whether no timer, socket or other work goes on, and the language and the folder are as they were. */
  areNone(): boolean;
}

interface Kept {
  readonly holder: Readonly<Record<PropertyKey, unknown>>;
  readonly keys: readonly PropertyKey[];
  readonly values: readonly unknown[];
}

/** Looks at the parts of the language that everything is built on. */
export function createLeftovers(): Leftovers {
  let kept: Kept[] = [];
  let resources = 0;
  let folder = '';
  return {
    accept() {
      kept = [];
      for (let index = 0; index < holders.length; index += 1) kept[index] = keep(holders[index] ?? {});
    },
    begin() {
      resources = taken.resources().length;
      folder = workingFolder();
    },
    areNone() {
      if (taken.resources().length > resources || workingFolder() !== folder) return false;
      for (let index = 0; index < kept.length; index += 1) {
        const one = kept[index];
        if (one !== undefined && !isAsKept(one)) return false;
      }
      return true;
    },
  };
}

function workingFolder(): string {
  try {
    return taken.folder();
  } catch {
    return ''; // it is gone
  }
}

function keep(holder: object): Kept {
  const keys = taken.ownKeys(holder);
  const values: unknown[] = [];
  for (let index = 0; index < keys.length; index += 1) values[index] = valueAt(holder, keys[index] ?? '');
  return { holder: holder as Kept['holder'], keys, values };
}

/** Undefined for what is computed: some of that cannot be asked for. */
function valueAt(holder: object, key: PropertyKey): unknown {
  const descriptor = taken.descriptorOf(holder, key);
  return descriptor !== undefined && taken.hasOwn(descriptor, 'value') ? descriptor.value : undefined;
}

function isAsKept({ holder, keys, values }: Kept): boolean {
  if (taken.ownKeys(holder).length !== keys.length) return false;
  for (let index = 0; index < keys.length; index += 1) {
    const value = values[index];
    if (value !== undefined && !taken.is(holder[keys[index] ?? ''], value)) return false;
  }
  return true;
}
