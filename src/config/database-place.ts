import { join, resolve } from 'node:path';
import { AgentError } from '../core/error.ts';
import { standingOf } from '../files/standing.ts';
import { isPath, namedPlace, projectPlace } from './kept-place.ts';
import { settingsSources, type SourceOptions } from './settings-sources.ts';

/**
 * Where the command line keeps records: what `SKILLED_DATABASE` or the settings say, else a file of the nearest project
 * upwards, else of this folder. Whether records can be kept there is found out when somebody has some.
 */
export function databasePlace(cwd: string, options: SourceOptions = {}): string {
  const sources = settingsSources(cwd, options);
  const named = namedPlace(sources, 'database');
  if (named !== undefined && !isPath(named)) return named;
  const place = named === undefined ? projectPlace(cwd, sources, 'database') : resolve(cwd, named);
  const runs = resolve(cwd, namedPlace(sources, 'store') ?? projectPlace(cwd, sources, 'store'));
  if (behindLinks(place) === behindLinks(runs)) throw sameFile(place);
  return place;
}

function behindLinks(path: string): string {
  const { real, missing } = standingOf(path);
  return join(real, ...missing);
}

/** A table could be called as one in which runs are kept, and then read and change what decides about them. */
function sameFile(place: string): AgentError {
  return new AgentError('usage.bad-settings', `Runs and records cannot be kept in one file, ${place}.`, {
    hint: 'Name another file in SKILLED_DATABASE or the setting "database".',
  });
}
