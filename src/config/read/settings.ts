import { dirname } from 'node:path';
import type { Settings } from '../../agent/options.ts';
import { isJsonObject, optional, type Issue, type JsonObject } from '../../core/index.ts';
import { modelOptionsOf } from '../models/options.ts';
import { homeFolder, settingsFiles, userFolder, type SettingsLocations } from '../paths.ts';
import { keyOf } from '../schema/key.ts';
import { readServers, findIgnoredServers } from '../servers/read-servers.ts';
import { isTrustedProject, projectState, stateOf, userTrustBook } from '../trust.ts';
import { environmentLayers } from './environment.ts';
import { joinLayers, type SettingsLayer } from './layers.ts';
import { readFileLayer } from './settings-file.ts';
import { findIgnoredVariables, ignoredVariables } from './untrusted-project.ts';

/** Options that change where settings are read from. */
export interface SourceOptions {
  /** Whether to ignore all settings files. */
  readonly isSafe?: boolean;
  readonly flags?: readonly SettingsLayer[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Returns the locations, variables and flags from which a command in the given folder reads its settings. */
export function settingsSources(cwd: string, options: SourceOptions = {}): SettingsSources {
  const { isSafe = false, flags = [], environment = process.env } = options;
  const home = homeFolder(environment);
  const files = isSafe ? {} : { startDir: cwd, userFolder: userFolder(environment, home), home };
  return { ...files, environment, flags };
}

/**
 * Finds the project's values that are ignored because the project is not trusted: settings keys, servers in
 * its `.mcp.json`, and variables in its `.env`.
 */
export function findIgnoredKeys(sources: SettingsSources): readonly string[] {
  const { issues } = readLayers(sources);
  const keys = issues
    .filter(({ code }) => code === 'settings.untrusted')
    .map(({ details }) => details?.['key'])
    .filter((key) => typeof key === 'string');
  const servers = findIgnoredServers(sources).map((name) => keyOf(['mcpServers', name]));
  const variables = ignoredVariables(sources).map((name) => `.env ${name}`);
  return [...new Set([...keys, ...servers, ...variables])];
}

/** The files, variables and flags from which settings are read. */
export interface SettingsSources extends SettingsLocations {
  /** The environment variables. Empty by default. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The layers set by flags, lowest precedence first. */
  readonly flags?: readonly SettingsLayer[];
}

/**
 * Reads all settings layers, lowest precedence first. Reports invalid values as issues with their
 * location; all other values still apply.
 */
export function readLayers(sources: SettingsSources): {
  readonly layers: readonly SettingsLayer[];
  readonly issues: readonly Issue[];
} {
  const issues: Issue[] = [];
  const report = (issue: Issue): void => void issues.push(issue);
  const files: SettingsLayer[] = [];
  for (const file of settingsFiles(sources)) {
    const own = files.find(({ name }) => name === 'user')?.values ?? {};
    files.push(
      readFileLayer(file, { own, isTrusted: (path, text) => isTrusted(path, text, sources) }, report),
    );
  }
  const layers = [
    ...files,
    ...environmentLayers(sources.environment ?? {}, report),
    ...(sources.flags ?? []),
  ];
  return { layers, issues };
}

/**
 * Returns whether the user trusts the file's project and the file has not changed since it was read as
 * `text`.
 */
function isTrusted(file: string, text: string, locations: SettingsLocations): boolean {
  const state = stateOf(dirname(dirname(file)));
  return (
    state.files.get(file)?.toString('utf8') === text && isTrustedProject(state, userTrustBook(locations))
  );
}

/** Reads the values from the user's own settings file. */
export function ownSettings(sources: SettingsSources): JsonObject {
  return readLayers(sources).layers.find(({ name }) => name === 'user')?.values ?? {};
}

/** Reads the settings layers and merges them. */
export function readSettings(sources: SettingsSources): {
  readonly settings: Settings;
  readonly issues: readonly Issue[];
} {
  const { layers, issues } = readLayers(sources);
  const { servers, issues: more } = readServers(layers, sources);
  const settings = settingsOf(layers);
  const project = projectState(sources);
  const isTrusted = project !== undefined && isTrustedProject(project, userTrustBook(sources));
  return {
    settings: {
      ...settings,
      ...(isTrusted ? { isProjectTrusted: true } : {}),
      ...(servers.length === 0 ? {} : { servers }),
    },
    issues: [...issues, ...more, ...findIgnoredVariables(sources, settings.modelOptions ?? {})],
  };
}

/** The settings that the agent receives unchanged. */
const asTheyAre = [
  ...['skills', 'plugins', 'allowSymlinkTargets', 'limits', 'sandbox', 'approvalHours'],
  ...['exposeInternalSkills', 'assistant', 'projectInstructions', 'fallbackSessionType'],
  ...['enableSummary', 'sessionConfig'],
];

/** Merges the settings of all layers. They need no further validation, because each layer is valid. */
function settingsOf(layers: readonly SettingsLayer[]): Settings {
  const all = joinLayers(layers);
  const { approvalHours, ...permissions } = isJsonObject(all['permissions']) ? all['permissions'] : {};
  const given = Object.entries({ ...all, approvalHours }).filter(
    ([key, value]) => asTheyAre.includes(key) && value !== undefined,
  );
  const modelOptions = modelOptionsOf(layers);
  const says = Object.keys(modelOptions).length > 0;
  const rulePositions = layers.flatMap((layer) => layer.rulePositions ?? []);
  return {
    ...Object.fromEntries(given),
    ...(Object.keys(permissions).length > 0 ? { permissions } : {}),
    ...(rulePositions.length > 0 ? { rulePositions } : {}),
    ...optional('modelOptions', says ? modelOptions : undefined),
    all,
  };
}
