import { join } from 'node:path';
import { cacheFolder, homeFolder } from '../../src/config/paths.ts';

/** Returns the default folder in which vectors are cached between runs. */
export function vectorFolder(): string {
  return join(cacheFolder(process.env, homeFolder(process.env)) ?? '.', 'bench-routing');
}
