import { join } from 'node:path';
import {
  isJsonObject,
  type Issue,
  type Json,
  type JsonObject,
  type ModelChoice,
  type ModelOptions,
} from '../../core/index.ts';
import { findKeys } from '../../models/detect.ts';
import {
  accountOf,
  createVariableLookup,
  type ProviderEnvironment,
  type VariableLookup,
} from '../../models/providers/keys.ts';
import { knownProviders } from '../../models/providers/known.ts';
import type { SettingsPlaces } from '../paths.ts';
import { settingsDefinition } from '../schema/definition.ts';
import { valueAt } from '../schema/key.ts';
import { isTrustedProject, projectState, userTrustBook, type ProjectState } from '../trust.ts';

/** A value that does not count in the settings of a project. */
interface Unbelieved {
  readonly path: readonly string[];
  /** One sentence. */
  readonly reason: string;
}

/** What a project may not say among these values; `own` is what the user's own file says. Pure. */
export function unbelieved(values: JsonObject, own: JsonObject): readonly Unbelieved[] {
  const whole = settingsDefinition.flatMap(({ key, default: usual, inProject }): readonly Unbelieved[] => {
    const path = key.split('.');
    const value = valueAt(values, path);
    if (value === undefined || inProject === undefined) return [];
    return inProject.mayBe(value, valueAt(own, path) ?? usual) ? [] : [{ path, reason: inProject.reason }];
  });
  return [...whole, ...gainsOfSkills(values, own)];
}

const entries = ['skills', 'entries'];

/** What skills would get of the user's, and they may come from the same stranger. */
function gainsOfSkills(values: JsonObject, own: JsonObject): readonly Unbelieved[] {
  return membersOf(valueAt(values, entries)).flatMap(([skill, entry]) => {
    const path = [...entries, skill];
    const { apiKey, env, override, enabled, ...more } = isJsonObject(entry) ? entry : {};
    const usual = valueAt(own, path);
    const users = isJsonObject(usual) ? usual : {};
    const variables = membersOf(env).map(([name, value]) => ({
      path: [...path, 'env', name],
      reason: isJsonObject(value) ? reasons.secrets : reasons.leads,
    }));
    const isLetIn = enabled === true && users['enabled'] === false;
    return [
      ...(apiKey === undefined ? [] : [{ path: [...path, 'apiKey'], reason: reasons.secrets }]),
      ...variables,
      ...grants
        .filter((key) => more[key] !== undefined)
        .map((key) => ({ path: [...path, key], reason: reasons.reaches })),
      ...(override === undefined ? [] : [{ path: [...path, 'override'], reason: reasons.changes }]),
      ...(isLetIn ? [{ path: [...path, 'enabled'], reason: reasons.letsIn }] : []),
    ];
  });
}

const grants = ['hosts', 'read', 'workspace', 'processes'];

const reasons = {
  secrets: 'A project could hand your secrets to its own skills and commands.',
  leads: 'A project could steer the programs of your skills, or lead them to a server of its own.',
  reaches: 'A project could let its own skills reach what you did not grant.',
  changes: 'A project could give your own skills other tools, models and texts.',
  letsIn: 'A project may switch off a skill, but not switch on one that you switched off.',
};

function membersOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** The names in the `.env` of the project that would decide about models, and do not count because it is not trusted. */
export function ignoredVariables(places: SettingsPlaces): readonly string[] {
  return [...(ignoredState(places)?.variables.keys() ?? [])];
}

/** A diagnostic that names them; its `changesModel` says whether another account would be used with them. */
export function findIgnoredVariables(
  places: SettingsPlaces & { readonly environment?: ProviderEnvironment | undefined },
  options: ModelOptions,
): readonly Issue[] {
  const state = ignoredState(places);
  if (state === undefined) return [];
  const variables = [...state.variables.keys()];
  const changesModel = options.offline !== true && isChange(state, options, places.environment ?? {});
  const verb = variables.length === 1 ? 'is' : 'are';
  return [
    {
      level: 'warning',
      code: 'settings.untrusted',
      message: `${variables.join(', ')} in the .env of this project ${verb} not used. A project could choose the account that gets your prompts.`,
      file: join(state.project, '.env'),
      hint: 'Set it in your own environment, or trust the project as it is with `skilled trust grant .`.',
      details: { variables, changesModel },
    },
  ];
}

function ignoredState(places: SettingsPlaces): ProjectState | undefined {
  const state = projectState(places);
  if (state === undefined || state.variables.size === 0) return undefined;
  return isTrustedProject(state, userTrustBook(places)) ? undefined : state;
}

/** Whether a provider that is used would have another key or address. */
function isChange(
  { variables }: ProjectState,
  { models }: ModelOptions,
  environment: ProviderEnvironment,
): boolean {
  const without = createVariableLookup(environment);
  const within = createVariableLookup(environment, () => variables);
  const used = models === undefined ? findKeys(within).slice(0, 1) : providersOf(models);
  const names = new Set(used.map((one) => (typeof one === 'string' ? one : one.provider)));
  return knownProviders
    .filter(({ name }) => names.has(name))
    .some((known) => {
      const spell = (lookUp: VariableLookup): string => JSON.stringify(accountOf(known, lookUp));
      return spell(within) !== spell(without);
    });
}

function providersOf(models: ModelChoice): readonly string[] {
  if (typeof models === 'string') return [models.split('/')[0] ?? models];
  if (Array.isArray(models)) return (models as readonly ModelChoice[]).flatMap(providersOf);
  const isModel = 'stream' in models && typeof models.stream === 'function';
  return isModel ? [] : Object.values(models as Record<string, ModelChoice>).flatMap(providersOf);
}
