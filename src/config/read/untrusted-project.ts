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
import type { SettingsLocations } from '../paths.ts';
import { settingsDefinition } from '../schema/definition.ts';
import { valueAt } from '../schema/key.ts';
import { isTrustedProject, projectState, userTrustBook, type ProjectState } from '../trust.ts';

/** A project setting that is ignored because only the user may set it. */
interface UntrustedValue {
  readonly path: readonly string[];
  /** The reason, as one sentence. */
  readonly reason: string;
}

/**
 * Finds project settings that are ignored. `own` contains the values in the user's own settings file. Pure.
 */
export function findUntrustedValues(values: JsonObject, own: JsonObject): readonly UntrustedValue[] {
  const whole = settingsDefinition.flatMap(
    ({ key, default: usual, inProject }): readonly UntrustedValue[] => {
      const path = key.split('.');
      const value = valueAt(values, path);
      if (value === undefined || inProject === undefined) return [];
      return inProject.mayBe(value, valueAt(own, path) ?? usual) ? [] : [{ path, reason: inProject.reason }];
    },
  );
  return [...whole, ...gainsOfSkills(values, own)];
}

const entries = ['skills', 'entries'];

/**
 * Finds settings of individual skills that would give these skills access to the user's resources. The
 * skills may come from the same untrusted author as the project.
 */
function gainsOfSkills(values: JsonObject, own: JsonObject): readonly UntrustedValue[] {
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
  secrets: 'A project could pass your secrets to its own skills and commands.',
  leads: "A project could change how your skills' programs behave, or redirect them to its own server.",
  reaches: 'A project could give its own skills access that you did not grant.',
  changes: 'A project could change the tools, models and text of your own skills.',
  letsIn: 'A project may disable a skill, but not enable one that you disabled.',
};

function membersOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/**
 * Returns the names of the variables in the project's `.env` that affect models and are ignored because the
 * project is not trusted.
 */
export function ignoredVariables(locations: SettingsLocations): readonly string[] {
  return [...(ignoredState(locations)?.variables.keys() ?? [])];
}

/**
 * Returns a diagnostic that lists the ignored variables. `changesModel` is true if they would change the API
 * key or address of a provider in use.
 */
export function findIgnoredVariables(
  locations: SettingsLocations & { readonly environment?: ProviderEnvironment | undefined },
  options: ModelOptions,
): readonly Issue[] {
  const state = ignoredState(locations);
  if (state === undefined) return [];
  const variables = [...state.variables.keys()];
  const changesModel = options.offline !== true && isChange(state, options, locations.environment ?? {});
  const verb = variables.length === 1 ? 'is' : 'are';
  return [
    {
      level: 'warning',
      code: 'settings.untrusted',
      message: `${variables.join(', ')} in this project's .env ${verb} ignored. A project could choose the account that receives your prompts.`,
      file: join(state.project, '.env'),
      hint: 'Set the value in your own environment, or trust the current version of the project with `skilled trust grant .`.',
      details: { variables, changesModel },
    },
  ];
}

function ignoredState(locations: SettingsLocations): ProjectState | undefined {
  const state = projectState(locations);
  if (state === undefined || state.variables.size === 0) return undefined;
  return isTrustedProject(state, userTrustBook(locations)) ? undefined : state;
}

/** Returns whether the variables would change the API key or address of a provider in use. */
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
