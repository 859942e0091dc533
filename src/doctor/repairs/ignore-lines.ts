import { join } from 'node:path';
import { addLines, missingLines } from '../../config/skilled-folder.ts';
import type { OwnFolders } from '../../config/paths.ts';
import type { Repair } from '../repair.ts';

/** Runs and records of a project in a repository that git would take. */
export function ignoreRepairs({ project }: OwnFolders): readonly Repair[] {
  if (project?.isInRepository !== true) return [];
  const { folder } = project;
  const lines = linesFor(folder);
  if (lines.length === 0) return [];
  const file = join(folder, '.gitignore');
  return [
    {
      id: 'ignore',
      what: `${file} does not keep ${lines.join(', ')} out of the repository`,
      done: `${lines.join(', ')} added to ${file}`,
      mend: () => addLines(folder, lines),
    },
  ];
}

function linesFor(folder: string): readonly string[] {
  try {
    return missingLines(folder);
  } catch {
    return []; // what cannot be read cannot be added to either
  }
}
