import { normaliseName, optional, type Json, type JsonObject } from '../../core/index.ts';
import { isEmptyList, limitSettings, permissionSettings, promptSettings } from './groups.ts';
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
  words,
} from './shapes.ts';

/** The JSON Schema of a settings file, for editors; keys that it does not know are allowed, as skills may ask for them. */
export function settingsSchema(): JsonObject {
  const { properties, ...rest } = settingsRoot.schema;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of skilled',
    ...rest,
    properties: { $schema: { type: 'string' }, ...(properties as JsonObject) },
  };
}

const fewer: ProjectRule = {
  mayBe: (value, own) => own === undefined || areAmong(value, own),
  reason: 'A project may take away from the skills that you let in, but not add to them.',
};

/** Every setting that the package reads, in the order in which they are shown. */
export const settingsDefinition: readonly Setting[] = [
  {
    key: 'models',
    shape: modelChoice,
    description:
      'Which model is used, for all or for each tier; further ones of a list are asked when the first fails.',
    byDefault: 'what is found on this machine',
    variable: 'SKILLED_MODEL',
    flag: '--model',
    inProject: {
      mayBe: () => false,
      reason: 'A project could choose the account that gets your prompts.',
    },
  },
  {
    key: 'tierConfig',
    shape: tiersOfRoles,
    description: 'Which tier each role uses.',
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
      'Further servers that speak the protocol of OpenAI, by the name that stands before the slash of a model.',
    variable: 'SKILLED_BASE_URL',
    flag: '--base-url',
    inProject: {
      mayBe: () => false,
      reason: 'A project could send your key and your prompts to a server of its own.',
    },
  },
  {
    key: 'prices',
    shape: modelPrices,
    description: 'US dollars for a million tokens, by model; they go before the table of the package.',
    inProject: {
      mayBe: () => false,
      reason: 'A project could make your limits of money worthless.',
    },
  },
  {
    key: 'offline',
    shape: flag,
    description: 'No model is asked, whatever is configured.',
    default: false,
    variable: 'SKILLED_OFFLINE',
    flag: '--offline',
    inProject: {
      mayBe: (value) => value === true,
      reason: 'A project may work offline, but it does not lead you out of it.',
    },
  },
  {
    key: 'modelRetries',
    shape: wholeNumber,
    description: 'How often a model is asked again after a fault that may pass.',
    default: 2,
    inProject: {
      mayBe: (value, own) => Number(value) <= Number(own),
      reason: 'A project does not make you pay for more attempts.',
    },
  },
  {
    key: 'modelIdleSeconds',
    shape: positiveNumber,
    description: 'Seconds without a sign of life after which an answer is given up.',
    default: 120,
    inProject: {
      mayBe: (value, own) => Number(value) <= Number(own),
      reason: 'A project may shorten your wait for a model, but not prolong it.',
    },
  },
  {
    key: 'store',
    shape: storeName,
    description: 'Where the command line keeps runs: the path of a file, or a postgres:// address.',
    default: '.skilled/skilled.db',
    variable: 'SKILLED_STORE',
    inProject: {
      mayBe: () => false,
      reason: 'A project could bring a store with approvals and questions of its own.',
    },
  },
  {
    key: 'database',
    shape: databaseName,
    description:
      'Where the command line keeps the records of tables: the path of a file, a postgres:// address, or env:NAME for what that variable says.',
    default: '.skilled/tables.db',
    variable: 'SKILLED_DATABASE',
    inProject: {
      mayBe: isPathBelow,
      reason: 'A project keeps records in its own folder; it could send them elsewhere.',
    },
  },
  {
    key: 'retentionDays',
    shape: wholeNumber,
    description: 'Days after which runs that ended are forgotten; 0 keeps them.',
    default: 30,
    variable: 'SKILLED_RETENTION_DAYS',
    inProject: {
      mayBe: () => false,
      reason: 'A project could delete the history of your runs.',
    },
  },
  ...promptSettings,
  ...permissionSettings,
  {
    key: 'skills.entries',
    shape: skillEntries,
    description:
      'What applies to one skill: enabled, env, apiKey, config, override, and what its processes may do: hosts, read, workspace, processes.',
  },
  {
    key: 'skills.allowBundled',
    shape: words,
    description: 'The bundled skills that may be used; an empty list allows none.',
    byDefault: 'all',
    inProject: fewer,
  },
  {
    key: 'skills.only',
    shape: words,
    description: 'The only skills that may be used; an empty list allows none.',
    byDefault: 'all',
    inProject: fewer,
  },
  {
    key: 'skills.except',
    shape: words,
    description: 'Skills that may not be used.',
    byDefault: 'none',
    inProject: {
      mayBe: (value, own) => areAmong(own ?? [], value),
      reason: 'A project may add to the skills that you shut out, but not let them in.',
    },
  },
  {
    key: 'skills.allowOverrideBundled',
    shape: words,
    description: 'Bundled skills that files may replace.',
    byDefault: 'none',
    inProject: { mayBe: isEmptyList, reason: 'A project could put its own skills in their place.' },
  },
  {
    key: 'skills.disableShellExecution',
    shape: flag,
    description: 'No command in the text of a skill runs; also read as disableSkillShellExecution.',
    default: false,
    inProject: { mayBe: (value) => value === true, reason: 'A project could let its commands run again.' },
  },
  {
    key: 'skills.enforceTools',
    shape: flag,
    description: 'A skill that is loaded lets nothing but its allowed tools be used.',
    default: false,
    inProject: { mayBe: (value) => value === true, reason: 'A project could free its skills.' },
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
      reason: 'A project could start programs of its own, and lead your skills to servers of its own.',
    },
  },
  {
    key: 'plugins',
    shape: words,
    description: 'Packages that carry skills, or paths of folders.',
    byDefault: 'none',
    inProject: { mayBe: isEmptyList, reason: 'A project could load skills from outside its folder.' },
  },
  {
    key: 'allowSymlinkTargets',
    shape: words,
    description: 'Folders into which links may lead.',
    byDefault: 'none',
    inProject: { mayBe: isEmptyList, reason: 'A project could pass your other files off as skills.' },
  },
  ...limitSettings,
];

/** Whether a list of skills names none that another one does not, in any spelling. */
function areAmong(some: Json, all: Json): boolean {
  const names = listOf(all).map(normaliseName);
  return listOf(some).every((name) => names.includes(normaliseName(name)));
}

function listOf(value: Json): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A relative path that cannot leave the folder it starts from. */
function isPathBelow(value: Json): boolean {
  return typeof value === 'string' && /^[\w.]/.test(value) && !/^\w+:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(value);
}

/** Groups in which a key that is not known is a mistake, by what their keys name: misspelt, it would silently not apply. */
const strictGroups = new Map([
  ['limits', 'a limit'],
  ['permissions', 'a setting of permissions'],
  ['sessionConfig', 'a setting of sessions'],
]);

/** The shape of a whole settings file; what is unknown here stays for others to read. */
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

/** The shape of what lies at the end of a path of names; undefined where nothing is known of it. */
export function shapeAt(path: readonly string[]): Shape | undefined {
  return path.reduce<Shape | undefined>((shape, name) => shape?.member?.(name), settingsRoot);
}

/** Editors show the description of a member and its default. */
function describedShape(setting: (typeof settingsDefinition)[number]): Shape {
  const { shape, description, default: usual, inProject } = setting;
  const place = inProject === undefined ? '' : ` ${inProject.reason}`;
  return {
    ...shape,
    schema: {
      description: `${description}${place}`,
      ...shape.schema,
      ...(usual === undefined ? {} : { default: usual }),
    },
  };
}
