import type * as Unbash from 'unbash';
import { loadPackage } from '../core/package-files.ts';

/** The parser of shell commands, loaded when the first command is read: many runs read none. */
export function unbash(): typeof Unbash {
  return loadPackage('unbash') as typeof Unbash;
}
