import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { copyFolder } from '../../src/generation/copy-bundle.ts';
import { tree, type Tree } from './tree.ts';

/** Copies of a folder; use them with `using`. */
export interface DiskStates extends Disposable {
  readonly all: readonly Tree[];
}

const changing = [
  ...['renameSync', 'rmSync', 'rmdirSync', 'unlinkSync'],
  ...['writeFileSync', 'fsyncSync', 'mkdirSync', 'symlinkSync'],
] as const;

/**
 * What a folder looked like before each call with which some work could change it, and at its end: that is what is left
 * when the process is killed there. Nothing is kept before `begin` is called.
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
    isKeeping = false; // copying changes the disk too
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
