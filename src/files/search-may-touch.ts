import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMeantBy, mayHoldMeant } from './path-rule.ts';

/** Whether a search could come upon what a permission rule means: in a folder anywhere below it, of a file only itself. */
export function searchMayTouch(spec: string, path: string, workspace: string): boolean {
  const isOne = isFile(resolve(workspace, path));
  return isOne ? isMeantBy(spec, path, workspace) : mayHoldMeant(spec, path, workspace);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // what cannot be looked at may come to be a folder
  }
}
