import { join } from 'node:path';
import { cacheFolder, homeFolder } from '../../src/config/paths.ts';

/** Where vectors are kept between runs unless another folder is given. */
export function vectorFolder(): string {
  return join(cacheFolder(process.env, homeFolder(process.env)) ?? '.', 'bench-routing');
}
