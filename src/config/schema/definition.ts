import { normaliseName, optional, type Json, type JsonObject } from '../../core/index.ts';
import { isEmptyList, limitSettings, permissionSettings, promptSettings } from './groups.ts';
import { withEarlierSchemas } from './renamed.ts';
import { serverSettings } from './server.ts';
import { objectOf, type ProjectRule, type Setting, type Shape } from './setting.ts';
import {
  databaseName,
  flag,
  modelChoice,
  modelPrices,
  namedProviders,
  positiveNumber,
  skillEntries,
  storeName,
  tiersOfRoles,
  toolServers,
  wholeNumber,
  textList,
} from './shapes.ts';

/**
 * Returns the JSON Schema of a settings file, for use in editors. It allows unknown keys, because skills may
 * read them.
 */
export function settingsSchema(): JsonObject {
  const { properties, ...rest } = settingsRoot.schema;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of skilled',
    ...rest,
    properties: { $schema: { type: 'string' }, ...withEarlierSchemas(properties as JsonObject) },
  };
}

const fewer: ProjectRule = {
  mayBe: (value, own) => own === undefined || areAmong(value, own),
  reason: 'A project may narrow the set of skills that you allow, but not add to it.',
};

/** The settings, in the order in which help and documentation show them. */
export const settingsDefinition: readonly Setting[] = [
  {
    key: 'models',
    shape: modelChoice,
    description: 'The model to use, for all tiers or for each; further models of a list are fallbacks.',
    byDefault: 'the models found on this machine',
    variable: 'SKILLED_MODEL',
    flag: '--model',
    inProject: {
      mayBe: () => false,
      reason: 'A project could choose the account that receives your prompts.',
    },
  },
  {
    key: 'tierConfig',
    shape: tiersOfRoles,
    description: 'The model tier that each role uses.',
    default: { plan: 'plan', execution: 'fast', code: 'code', summary: 'fast' },
    inProject: {
      mayBe: () => false,
      reason: 'A project could move work to your more expensive models.',
    },
  },
  {
    key: 'providers',
    shape: namedProviders,
    description:
      'Other servers with an OpenAI-compatible API, keyed by the name before the slash in a model name.',
    variable: 'SKILLED_BASE_URL',
    flag: '--base-url',
    inProject: {
      mayBe: () => false,
      reason: 'A project could send your key and your prompts to its own server.',
    },
  },
  {
    key: 'prices',
    shape: modelPrices,
    description: 'US dollars per million tokens, by model; overrides the built-in price table.',
    inProject: {
      mayBe: () => false,
      reason: 'A project could make your cost limits ineffective.',
    },
  },
  {
    key: 'offline',
    shape: flag,
    description: 'Never call a model.',
    default: false,
    variable: 'SKILLED_OFFLINE',
    flag: '--offline',
    inProject: {
      mayBe: (value) => value === true,
      reason: 'A project may turn offline mode on, but not off.',
    },
  },
  {
    key: 'modelRetries',
    shape: wholeNumber,
    description: 'How many times to retry a model after a temporary error.',
    default: 2,
    inProject: {
      mayBe: (value, own) => Number(value) <= Number(own),
      reason: 'A project may not make you pay for more retries.',
    },
  },
  {
    key: 'modelIdleSeconds',
    shape: positiveNumber,
    description: 'Seconds to wait without output before a response is abandoned.',
    default: 120,
    inProject: {
      mayBe: (value, own) => Number(value) <= Number(own),
      reason: 'A project may shorten this timeout, but not extend it.',
    },
  },
  {
    key: 'store',
    shape: storeName,
    description: 'The store for runs of the command line: a file path or a postgres:// URL.',
    default: '.skilled/skilled.db',
    variable: 'SKILLED_STORE',
    inProject: {
      mayBe: () => false,
      reason: 'A project could supply a store with its own approvals and questions.',
    },
  },
  {
    key: 'database',
    shape: databaseName,
    description:
      'The location of table records for the command line: a file path, a postgres:// URL, or env:NAME to read the location from a variable.',
    default: '.skilled/tables.db',
    variable: 'SKILLED_DATABASE',
    inProject: {
      mayBe: isPathBelow,
      reason: 'A project may keep records only in its own folder; otherwise it could send them elsewhere.',
    },
  },
  {
    key: 'retentionDays',
    shape: wholeNumber,
    description: 'Days after which finished runs are deleted; 0 keeps them.',
    default: 30,
    variable: 'SKILLED_RETENTION_DAYS',
    inProject: {
      mayBe: () => false,
      reason: 'A project could delete your run history.',
    },
  },
  ...promptSettings,
  ...permissionSettings,
  {
    key: 'skills.entries',
    shape: skillEntries,
    description:
      'Settings for one skill: enabled, env, apiKey, config, override, and process permissions (hosts, read, workspace, processes).',
  },
  {
    key: 'skills.allowBundled',
    shape: textList,
    description: 'The bundled skills that may be used; an empty list allows none.',
    byDefault: 'all',
    inProject: fewer,
  },
  {
    key: 'skills.only',
    shape: textList,
    description: 'The only skills that may be used; an empty list allows none.',
    byDefault: 'all',
    inProject: fewer,
  },
  {
    key: 'skills.except',
    shape: textList,
    description: 'Skills that may not be used.',
    byDefault: 'none',
    inProject: {
      mayBe: (value, own) => areAmong(own ?? [], value),
      reason: 'A project can exclude more skills, but cannot re-enable the ones that you excluded.',
    },
  },
  {
    key: 'skills.allowOverrideBundled',
    shape: textList,
    description: 'Bundled skills that can be replaced by skills from files.',
    byDefault: 'none',
    inProject: { mayBe: isEmptyList, reason: 'A project could replace bundled skills with its own.' },
  },
  {
    key: 'skills.disableShellExecution',
    shape: flag,
    description: 'Commands in skill texts are never run; also accepted as disableSkillShellExecution.',
    default: false,
    inProject: {
      mayBe: (value) => value === true,
      reason: 'A project could turn its commands back on.',
    },
  },
  {
    key: 'skills.enforceTools',
    shape: flag,
    description: 'A loaded skill limits the available tools to its allowed tools.',
    default: false,
    inProject: {
      mayBe: (value) => value === true,
      reason: 'A project could lift the restrictions on its skills.',
    },
  },
  {
    key: 'mcpServers',
    shape: toolServers,
    description:
      'MCP servers whose tools skills may use, by name; each has a "command" with "args", or a "url".',
    byDefault: 'those in the .mcp.json of a trusted project',
    wholeEntries: true,
    inProject: {
      mayBe: () => false,
      reason: 'A project could start its own programs, and connect your skills to its own servers.',
    },
  },
  ...serverSettings,
  {
    key: 'plugins',
    shape: textList,
    description: 'Packages or folders that contain skills.',
    byDefault: 'none',
    inProject: { mayBe: isEmptyList, reason: 'A project could load skills from outside its folder.' },
  },
  {
    key: 'allowSymlinkTargets',
    shape: textList,
    description: 'Folders that symlinks may point into.',
    byDefault: 'none',
    inProject: { mayBe: isEmptyList, reason: 'A project could expose any of your files as skills.' },
  },
  ...limitSettings,
];

/**
 * Returns whether the list `all` contains every skill name in the list `some`. Compares normalised names.
 */
function areAmong(some: Json, all: Json): boolean {
  const names = listOf(all).map(normaliseName);
  return listOf(some).every((name) => names.includes(normaliseName(name)));
}

function listOf(value: Json): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Returns whether the value is a relative path that cannot escape its base folder. */
function isPathBelow(value: Json): boolean {
  return typeof value === 'string' && /^[\w.]/.test(value) && !/^\w+:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(value);
}

/**
 * The groups that reject unknown keys, because a misspelled key would silently have no effect. Each
 * value completes the error message "the name of …".
 */
const strictGroups = new Map([
  ['limits', 'a limit'],
  ['permissions', 'a permission setting'],
  ['serve', 'a server setting'],
  ['sessionConfig', 'a session setting'],
]);

/** The shape of a settings file. Unknown keys are kept, because skills may read them. */
export const settingsRoot: Shape = objectOf(
  Object.fromEntries(
    [...Map.groupBy(settingsDefinition, ({ key }) => key.split('.')[0] ?? key)].map(([name, group]) => {
      const [first] = group;
      if (first?.key === name) return [name, describedShape(first)];
      const members = group.map((setting): [string, Shape] => [
        setting.key.slice(name.length + 1),
        describedShape(setting),
      ]);
      return [name, objectOf(Object.fromEntries(members), optional('names', strictGroups.get(name)))];
    }),
  ),
);

/** Returns the expected shape of the value at a path, or undefined for an unknown path. */
export function shapeAt(path: readonly string[]): Shape | undefined {
  return path.reduce<Shape | undefined>((shape, name) => shape?.member?.(name), settingsRoot);
}

/** Adds the setting's description and default to the JSON Schema, for editors to display. */
function describedShape(setting: (typeof settingsDefinition)[number]): Shape {
  const { shape, description, default: usual, inProject } = setting;
  const note = inProject === undefined ? '' : ` ${inProject.reason}`;
  return {
    ...shape,
    schema: {
      description: `${description}${note}`,
      ...shape.schema,
      ...(usual === undefined ? {} : { default: usual }),
    },
  };
}
