import { resolve } from 'node:path';
import { namedPlace, projectPlace } from './kept-place.ts';
import { settingsSources, type SourceOptions } from './settings-sources.ts';

/**
 * Where the command line keeps records: what `SKILLED_DATABASE` or the settings say, else a file of the nearest project
 * upwards, else of this folder. Whether records can be kept there is found out when somebody has some.
 */
export function databasePlace(cwd: string, options: SourceOptions = {}): string {
  const sources = settingsSources(cwd, options);
  const named = namedPlace(sources, 'database');
  if (named === undefined) return projectPlace(cwd, sources, 'database');
  return /^(?:env|postgres(?:ql)?):|:\/\//.test(named) ? named : resolve(cwd, named);
}
