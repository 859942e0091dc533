import { join } from 'node:path';
import type { Issue } from '../core/issue.ts';
import type { ModelChoice, ModelOptions } from '../core/model/sources.ts';
import { findKeys } from '../models/detect.ts';
import { accountOf, createVariableLookup, type Environment, type VariableLookup } from '../models/keys.ts';
import { knownProviders } from '../models/known-providers.ts';
import { isTrustedProject, projectState, userTrustBook, type ProjectState } from './project-trust.ts';
import type { SettingsPlaces } from './settings-files.ts';

/** The names in the `.env` of the project that would decide about models, and do not count because it is not trusted. */
export function ignoredVariables(places: SettingsPlaces): readonly string[] {
  return [...(ignoredState(places)?.variables.keys() ?? [])];
}

/** A diagnostic that names them; its `changesModel` says whether another account would be used with them. */
export function findIgnoredVariables(
  places: SettingsPlaces & { readonly environment?: Environment | undefined },
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
function isChange({ variables }: ProjectState, { models }: ModelOptions, environment: Environment): boolean {
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
