import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Looks programs up on the PATH; hits and misses are remembered until `forget`. */
export interface Binaries {
  has(name: string): boolean;
  forget(): void;
}

/** A look-up over the PATH as it is when a name is first asked for; names with a folder in them are never found. */
export function binariesOn(path: () => string, extensions: readonly string[] = ['']): Binaries {
  const known = new Map<string, boolean>();
  const look = (name: string): boolean => {
    if (!/^[^/\\\0]+$/.test(name)) return false;
    const folders = path()
      .split(delimiter)
      .filter((folder) => isAbsolute(folder));
    return folders.some((folder) =>
      extensions.some((extension) => isProgram(join(folder, name + extension))),
    );
  };
  return {
    has(name) {
      const before = known.get(name);
      if (before !== undefined) return before;
      const found = look(name);
      known.set(name, found);
      return found;
    },
    forget: () => {
      known.clear();
    },
  };
}

/** Looking first costs a tenth of failing to open: most names are in none of the folders. */
function isProgram(file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not ours to look at or to execute: the program is not there
  }
}
