import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AgentError, type JsonObject } from '../../core/index.ts';
import { resolveExisting } from '../../files/index.ts';
import { homeFolder, projectFolder } from '../paths.ts';
import { joinLayers, type SettingsLayer } from '../read/layers.ts';
import { readLayers, settingsSources, type SettingsSources, type SourceOptions } from '../read/settings.ts';
import { mustStayIn } from '../skilled-folder.ts';

/**
 * Returns where the CLI stores records: the location set by `SKILLED_DATABASE` or the settings, or
 * else a file in the nearest enclosing project, or else a file in `cwd`. The location is validated
 * when the first record is stored.
 */
export function locateDatabase(cwd: string, options: SourceOptions = {}): string {
  const sources = settingsSources(cwd, options);
  const named = configuredLocation(sources, 'database');
  if (named !== undefined && !isPath(named)) return named;
  const path = named === undefined ? projectPath(cwd, sources, 'database') : resolve(cwd, named);
  const runs = resolve(cwd, configuredLocation(sources, 'store') ?? projectPath(cwd, sources, 'store'));
  if (behindLinks(path) === behindLinks(runs)) throw sameFile(path);
  return path;
}

function behindLinks(path: string): string {
  const { real, missing } = resolveExisting(path);
  return join(real, ...missing);
}

/**
 * Creates the error for storing runs and records in the same file. A records table with the name of an
 * internal table would give skills access to the data that controls runs.
 */
function sameFile(path: string): AgentError {
  return new AgentError('usage.bad-settings', `Runs and records cannot share one file: ${path}.`, {
    hint: 'Specify a different file with SKILLED_DATABASE or the setting "database".',
  });
}

/** The kinds of stored data, keyed by the setting for their location. */
const storageSettings = {
  store: { file: 'skilled.db', things: 'Runs', variable: 'SKILLED_STORE' },
  database: { file: 'tables.db', things: 'Records', variable: 'SKILLED_DATABASE' },
} as const;

/** The name of a setting for the location of runs or records. */
type StorageSetting = keyof typeof storageSettings;

/**
 * Returns the location from the environment or the settings, if set. Throws if a project sets a path that
 * leads out of the project through a link.
 */
export function configuredLocation(sources: SettingsSources, setting: StorageSetting): string | undefined {
  const { values, layers } = valuesIn(sources);
  const named = values[setting];
  if (typeof named !== 'string') return undefined;
  const says = layers.findLast(({ values }) => values[setting] === named);
  if (says?.name === 'project' || says?.name === 'local') mustStayIn(dirname(dirname(says.from)), named);
  return named;
}

interface MergedValues {
  readonly values: JsonObject;
  readonly layers: readonly SettingsLayer[];
}

const known = new WeakMap<SettingsSources, MergedValues>();

/** Returns the merged settings and their layers. Reads them once per sources object, because that is slow. */
export function valuesIn(sources: SettingsSources): MergedValues {
  const before = known.get(sources);
  if (before !== undefined) return before;
  const { layers } = readLayers(sources);
  const read = { values: joinLayers(layers), layers };
  known.set(sources, read);
  return read;
}

/**
 * Returns the path of the storage file in the `.skilled` folder of the nearest enclosing project,
 * or else of `cwd`. Does not check for links, because opening the file does.
 */
export function projectPath(cwd: string, sources: SettingsSources, setting: StorageSetting): string {
  const home = homeFolder(sources.environment ?? {});
  const project = projectFolder(cwd, home, (dir) => isFolder(join(dir, '.skilled')));
  return join(project, '.skilled', storageSettings[setting].file);
}

/** Returns whether the location of records is a file path, rather than an address or `env:NAME`. */
export function isPath(location: string): boolean {
  return !/^(?:env|postgres(?:ql)?):|:\/\//.test(location);
}

/**
 * Returns whether a location is an address rather than a file path. Throws `usage.bad-settings` for an
 * unsupported address.
 */
export function isAddress(where: string, setting: StorageSetting): boolean {
  if (/^postgres(?:ql)?:/.test(where)) return true;
  const scheme = /^([a-z][a-z\d+.-]+):\/\//i.exec(where)?.[1];
  if (scheme === undefined) return false;
  const { things, variable } = storageSettings[setting];
  throw new AgentError('usage.bad-settings', `${things} cannot be stored at a ${scheme}:// address.`, {
    hint: `Use a file path or a postgres:// address; the command line reads it from ${variable} and the setting "${setting}".`,
  });
}

/**
 * Returns the path if its folder exists, or else throws `usage.not-found`. Other than `.skilled`, folders are
 * not created, because the path may contain a typo.
 */
export function mustBeInFolder(path: string, setting: StorageSetting): string {
  if (isFolder(dirname(path))) return path;
  const { things, variable } = storageSettings[setting];
  const fault = `The folder ${dirname(path)} for ${things.toLowerCase()} does not exist.`;
  throw new AgentError('usage.not-found', fault, {
    hint: `Create the folder, or set another file in ${variable} or the setting "${setting}".`,
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // A path that cannot be read is not treated as a folder.
  }
}
