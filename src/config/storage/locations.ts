import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AgentError } from '../../core/index.ts';
import { standingOf } from '../../files/index.ts';
import { homeFolder, projectFolder } from '../paths.ts';
import {
  readLayers,
  readSettings,
  settingsSources,
  type SettingsSources,
  type SourceOptions,
} from '../read/settings.ts';
import { mustStayIn } from '../skilled-folder.ts';

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

/** What the command line keeps, by the setting that names the place of it. */
const keptThings = {
  store: { file: 'skilled.db', things: 'Runs', variable: 'SKILLED_STORE' },
  database: { file: 'tables.db', things: 'Records', variable: 'SKILLED_DATABASE' },
} as const;

/** One of them. */
type KeptThing = keyof typeof keptThings;

/** What the environment or the settings say; a path that a project names may not lead out of it by a link. */
export function namedPlace(sources: SettingsSources, kept: KeptThing): string | undefined {
  const named = readSettings(sources).settings.all?.[kept];
  if (typeof named !== 'string') return undefined;
  const says = readLayers(sources).layers.findLast(({ values }) => values[kept] === named);
  if (says?.name === 'project' || says?.name === 'local') mustStayIn(dirname(dirname(says.from)), named);
  return named;
}

/** The file in the `.skilled` folder of the nearest project upwards, else of this folder; links in it are refused when it is opened. */
export function projectPlace(cwd: string, sources: SettingsSources, kept: KeptThing): string {
  const home = homeFolder(sources.environment ?? {});
  const project = projectFolder(cwd, home, (dir) => isFolder(join(dir, '.skilled')));
  return join(project, '.skilled', keptThings[kept].file);
}

/** Whether a place of records is a path, and neither an address nor `env:NAME`. */
export function isPath(place: string): boolean {
  return !/^(?:env|postgres(?:ql)?):|:\/\//.test(place);
}

/** Whether a place is named by an address instead of a path; throws `usage.bad-settings` for one at which nothing is kept. */
export function isAddress(where: string, kept: KeptThing): boolean {
  if (/^postgres(?:ql)?:/.test(where)) return true;
  const scheme = /^([a-z][a-z\d+.-]+):\/\//i.exec(where)?.[1];
  if (scheme === undefined) return false;
  const { things, variable } = keptThings[kept];
  throw new AgentError('usage.bad-settings', `${things} cannot be kept at a ${scheme}:// address.`, {
    hint: `Give the path of a file, or a postgres:// address; the command line reads it from ${variable} and the setting "${kept}".`,
  });
}

/** Only the project's own folder is made for what is kept; a slip in a path is not. */
export function mustLieInFolder(path: string, kept: KeptThing): string {
  if (isFolder(dirname(path))) return path;
  const { things, variable } = keptThings[kept];
  const fault = `There is no folder ${dirname(path)} to keep ${things.toLowerCase()} in.`;
  throw new AgentError('usage.not-found', fault, {
    hint: `Make it, or name another file in ${variable} or the setting "${kept}".`,
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // what cannot be looked at cannot be used either
  }
}
