import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { copyFolder } from '../../src/generation/copy-bundle.ts';
import { tree, type Tree } from './tree.ts';

/** Copies of a folder. Declare them with `using`. */
export interface DiskStates extends Disposable {
  readonly all: readonly Tree[];
}

const changing = [
  ...['renameSync', 'rmSync', 'rmdirSync', 'unlinkSync'],
  ...['writeFileSync', 'fsyncSync', 'mkdirSync', 'symlinkSync'],
] as const;

/**
 * Runs the work and copies the folder before each file system call that could change it, and once at the end.
 * Each copy is what remains if the process is killed at that point. Copying starts when the work calls
 * `begin`.
 */
export async function statesDuring(
  base: Tree,
  work: (begin: () => void) => Promise<unknown>,
): Promise<DiskStates> {
  const all: Tree[] = [];
  const real = new Map(
    changing.map((name) => [name, Reflect.get(fs, name) as (...given: unknown[]) => unknown]),
  );
  let isKeeping = false;
  const capture = (): void => {
    if (!isKeeping) return;
    isKeeping = false; // the copy itself changes the disk and must not be recorded
    const copy = tree();
    fs.rmdirSync(copy.path);
    copyFolder(base.path, copy.path);
    all.push(copy);
    isKeeping = true;
  };
  for (const [name, call] of real) {
    Reflect.set(fs, name, (...given: unknown[]) => {
      capture();
      return call(...given);
    });
  }
  syncBuiltinESMExports();
  try {
    await work(() => (isKeeping = true));
    capture();
  } finally {
    for (const [name, call] of real) Reflect.set(fs, name, call);
    syncBuiltinESMExports();
  }
  return {
    all,
    [Symbol.dispose]() {
      for (const copy of all) copy[Symbol.dispose]();
    },
  };
}
