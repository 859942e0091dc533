import { dirname } from 'node:path';
import type { Settings } from '../../agent/options.ts';
import { isJsonObject, optional, type Issue, type JsonObject } from '../../core/index.ts';
import { modelOptionsOf } from '../models/options.ts';
import { homeFolder, settingsFiles, userFolder, type SettingsPlaces } from '../paths.ts';
import { keyOf } from '../schema/key.ts';
import { readServers, uncountedServers } from '../servers/read-servers.ts';
import { isTrustedProject, stateOf, userTrustBook } from '../trust.ts';
import { environmentLayers } from './environment.ts';
import { joinLayers, type SettingsLayer } from './layers.ts';
import { readFileLayer } from './settings-file.ts';
import { findIgnoredVariables, ignoredVariables } from './untrusted-project.ts';

/** How the sources of settings differ from the usual ones. */
export interface SourceOptions {
  /** No settings file counts. */
  readonly isSafe?: boolean;
  readonly flags?: readonly SettingsLayer[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Where the settings of a command come from that works in a folder. */
export function settingsSources(cwd: string, options: SourceOptions = {}): SettingsSources {
  const { isSafe = false, flags = [], environment = process.env } = options;
  const home = homeFolder(environment);
  const files = isSafe ? {} : { startDir: cwd, userFolder: userFolder(environment, home), home };
  return { ...files, environment, flags };
}

/** What a project says that does not count because nobody trusted it: keys of its settings, servers of its `.mcp.json`, variables of its `.env`. */
export function uncountedKeys(sources: SettingsSources): readonly string[] {
  const { issues } = readLayers(sources);
  const keys = issues
    .filter(({ code }) => code === 'settings.untrusted')
    .map(({ details }) => details?.['key'])
    .filter((key) => typeof key === 'string');
  const servers = uncountedServers(sources).map((name) => keyOf(['mcpServers', name]));
  const variables = ignoredVariables(sources).map((name) => `.env ${name}`);
  return [...new Set([...keys, ...servers, ...variables])];
}

/** Where settings come from. */
export interface SettingsSources extends SettingsPlaces {
  /** The variables that may set something; none unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** What flags say, lowest precedence first. */
  readonly flags?: readonly SettingsLayer[];
}

/** Reads every layer, lowest precedence first; what is broken is a finding with its place, and the rest still counts. */
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

/** The file must have the text that was trusted: it may have changed since it was read. */
function isTrusted(file: string, text: string, places: SettingsPlaces): boolean {
  const state = stateOf(dirname(dirname(file)));
  return state.files.get(file)?.toString('utf8') === text && isTrustedProject(state, userTrustBook(places));
}

/** What the user's own file says. */
export function ownSettings(sources: SettingsSources): JsonObject {
  return readLayers(sources).layers.find(({ name }) => name === 'user')?.values ?? {};
}

/** Reads and joins the settings. */
export function readSettings(sources: SettingsSources): {
  readonly settings: Settings;
  readonly issues: readonly Issue[];
} {
  const { layers, issues } = readLayers(sources);
  const { servers, issues: more } = readServers(layers, sources);
  const settings = settingsOf(layers);
  return {
    settings: { ...settings, ...(servers.length === 0 ? {} : { servers }) },
    issues: [...issues, ...more, ...findIgnoredVariables(sources, settings.modelOptions ?? {})],
  };
}

/** The settings that the agent takes as they are. */
const asTheyAre = [
  ...['skills', 'plugins', 'allowSymlinkTargets', 'limits', 'sandbox', 'approvalHours'],
  ...['exposeInternalSkills', 'fallbackSessionType', 'enableSummary', 'sessionConfig'],
];

/** The settings of all layers; every layer has the right shape, so the whole has it too. */
function settingsOf(layers: readonly SettingsLayer[]): Settings {
  const all = joinLayers(layers);
  const { approvalHours, ...permissions } = isJsonObject(all['permissions']) ? all['permissions'] : {};
  const given = Object.entries({ ...all, approvalHours }).filter(
    ([key, value]) => asTheyAre.includes(key) && value !== undefined,
  );
  const modelOptions = modelOptionsOf(layers);
  const says = Object.keys(modelOptions).length > 0;
  return {
    ...Object.fromEntries(given),
    ...(Object.keys(permissions).length > 0 ? { permissions } : {}),
    ...optional('modelOptions', says ? modelOptions : undefined),
    all,
  };
}
