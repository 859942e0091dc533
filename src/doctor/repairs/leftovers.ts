import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnFolders } from '../../config/paths.ts';
import type { Repair } from '../repair.ts';
import { namesIn } from './names-in.ts';

const hour = 3_600_000;

// Files are written beside their place under such names, and then moved.
const halfWritten = /^\.?[\w.-]+\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.tmp)?$/;

/** Half-written files that a killed process left more than an hour ago. */
export function leftoverRepairs({ project, user, cache }: OwnFolders, now: number): readonly Repair[] {
  const folders = [project?.folder, user, cache].filter((folder) => folder !== undefined);
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => halfWritten.test(name))
      .map((name) => join(folder, name))
      .filter((file) => isOldFile(file, now))
      .map((file) => ({
        id: 'leftovers',
        what: `${file} was left half written`,
        done: `${file} removed`,
        mend: () => rmSync(file, { force: true }),
      })),
  );
}

function isOldFile(file: string, now: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && now - stats.mtimeMs > hour;
}
