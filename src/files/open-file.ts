import { lstatSync } from 'node:fs';
import type { Area } from './area.ts';
import { fileFault } from './file-fault.ts';
import { checkRegular, holdFile, type Held } from './held.ts';
import { resolveInside } from './resolve-inside.ts';

/** An open file with the path to show for it. */
export interface OpenFile extends Held {
  readonly shown: string;
}

/** Opens a regular file of the area for reading, through links that stay in it. */
export function openFile(area: Area, path: string): OpenFile {
  const { roots, real, shown } = resolveInside(area, path);
  try {
    checkRegular(lstatSync(real), shown); // before it is opened: opening a device may do something
    return { ...holdFile(roots, real, shown), shown };
  } catch (thrown) {
    throw fileFault(thrown, shown);
  }
}
