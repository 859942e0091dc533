import { createRequire } from 'node:module';
import type * as Unbash from 'unbash';

const require = createRequire(import.meta.url);

/** The parser of shell commands, loaded when the first command is read: many runs read none. */
export function unbash(): typeof Unbash {
  return require('unbash') as typeof Unbash;
}
