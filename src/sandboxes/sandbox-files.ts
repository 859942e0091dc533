import { readFile, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { AgentError } from '../core/error.ts';
import type { Grant } from '../core/sandbox.ts';
import type { Area } from '../files/area.ts';
import { openFile } from '../files/open-file.ts';
import { resolveInside } from '../files/resolve-inside.ts';
import { writeFile } from '../files/write-file.ts';

/** The files that a grant opens to whoever has the sandbox; what is opened is checked, not what a path meant before. */
export interface SandboxFiles {
  read(path: string): Promise<Uint8Array>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** The real path of a granted folder; the first one if none is named, and undefined if there are only files or nothing. */
  findFolder(path: string | undefined): string | undefined;
}

/** Relative paths start in the first folder that may be written, else in the first that may be read. */
export function createSandboxFiles({ read, write }: Pick<Grant, 'read' | 'write'>): SandboxFiles {
  const readable = areaOf([...write, ...read]);
  const writable = areaOf(write);
  return {
    async read(path) {
      using file = openFile(readable, path);
      return await readAll(file.handle);
    },
    async write(path, bytes) {
      await writeFile(writable, path, bytes);
    },
    findFolder(path) {
      const asked = path ?? [...write, ...read].find((one) => !isFile(one));
      if (asked === undefined) return undefined;
      const { real, shown } = resolveInside(readable, asked);
      if (statSync(real).isDirectory()) return real;
      throw new AgentError('usage.bad-input', `"${shown}" is no folder.`, {
        hint: 'Name the folder to start in.',
      });
    },
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const readAll = promisify(readFile) as (handle: number) => Promise<Uint8Array>;

function areaOf([workspace, ...others]: readonly string[]): Area {
  return { workspace, others };
}
