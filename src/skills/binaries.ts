import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Looks programs up on a PATH; hits and misses are remembered until `forget`. */
export interface Binaries {
  has(name: string): boolean;
  forget(): void;
}

/** A look-up over one PATH; names with a folder in them are never found. */
export function binariesOn(path: string, extensions: readonly string[] = ['']): Binaries {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const known = new Map<string, boolean>();
  return {
    has(name) {
      const before = known.get(name);
      if (before !== undefined) return before;
      const plain = /^[^/\\\0]+$/.test(name);
      const found = plain && folders.some((folder) => extensions.some((extension) => isProgram(join(folder, name + extension))));
      known.set(name, found);
      return found;
    },
    forget: () => {
      known.clear();
    },
  };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // missing or not ours to execute: the program is not there
  }
}
