import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentError } from '../core/error.ts';
import { mustStayIn } from './must-stay-in.ts';
import { projectFolder } from './project-folder.ts';
import { readLayers, readSettings, type SettingsSources } from './settings.ts';
import { homeFolder } from './user-folders.ts';

/** What the command line keeps, by the setting that names the place of it. */
const keptThings = {
  store: { file: 'skilled.db', things: 'Runs', variable: 'SKILLED_STORE' },
  database: { file: 'tables.db', things: 'Records', variable: 'SKILLED_DATABASE' },
} as const;

/** One of them. */
export type KeptThing = keyof typeof keptThings;

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
