import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ignoredLines } from './ignored-lines.ts';
import { makeFolder } from './make-folder.ts';
import { mustNotBeLink } from './must-stay-in.ts';

/** Makes the `.skilled` folder of a project. What is made there by us belongs into no repository; a list that is there stays as it is. */
export function makeSkilledFolder(folder: string): void {
  mustNotBeLink(folder);
  makeFolder(folder);
  const list = join(folder, '.gitignore');
  if (existsSync(list)) return;
  try {
    writeFileSync(list, ignoredLines.map((line) => `${line}\n`).join(''), { flag: 'wx' });
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== 'EEXIST') throw thrown; // another process was faster
  }
}
