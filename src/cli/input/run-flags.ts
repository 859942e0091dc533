import { customProvider, modelNamesOf } from '../../config/models/options.ts';
import type { SettingsLayer } from '../../config/read/layers.ts';
import { readSettings, settingsSources, type SettingsSources } from '../../config/read/settings.ts';
import { settingsDefinition, shapeAt } from '../../config/schema/definition.ts';
import { withKey } from '../../config/schema/key.ts';
import {
  AgentError,
  areRoles,
  optional,
  rolesExpected,
  type Json,
  type ModelOptions,
  type RunLimits,
  type RunUser,
} from '../../core/index.ts';
import type { CommonFlags, Invocation } from '../command.ts';
import { printIssues } from '../output/diagnostics.ts';
import { amount, wholeNumber } from './flag-values.ts';

/** The flags that set a run's limits. */
export const limitFlags = {
  timeout: { type: 'string' },
  'max-depth': { type: 'string' },
  'max-steps': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-cost': { type: 'string' },
} as const;

/** The help text for the flags that set limits. */
export const limitFlagsHelp = `  --timeout <seconds>   maximum working time
  --max-depth <number>  maximum depth of nested calls
  --max-steps <number>  maximum model steps per call
  --max-tokens <number> maximum tokens, input and output of all models
  --max-cost <dollars>  maximum cost in US dollars`;

/** Returns the limits set by flags. Throws `usage.bad-input` if a value is not a number. */
export function limitsOf(own: Invocation['own']): Partial<RunLimits> {
  return {
    ...optional('runSeconds', wholeNumber(own, 'timeout', 1)),
    ...optional('depth', wholeNumber(own, 'max-depth', 1)),
    ...optional('steps', wholeNumber(own, 'max-steps')),
    ...optional('tokens', wholeNumber(own, 'max-tokens')),
    ...optional('cost', amount(own, 'max-cost')),
  };
}

/** Returns a settings layer for each limit set by a flag. */
export function limitLayers(own: Invocation['own']): readonly SettingsLayer[] {
  return Object.entries(limitsOf(own)).map(([name, value]) => {
    const flag = settingsDefinition.find(({ key }) => key === `limits.${name}`)?.flag ?? '';
    return { name: 'flag', from: flag, values: { limits: { [name]: value } } };
  });
}

/** The flags that all commands that call models accept. */
export const modelFlags = {
  model: { type: 'string', multiple: true },
  'base-url': { type: 'string' },
  'api-key-env': { type: 'string' },
} as const;

/** The help text for the model flags. */
export const modelFlagsHelp = `  --model <model>       provider/model for everything, or tier=provider/model; separate
                        fallbacks with commas; repeatable
  --base-url <url>      an OpenAI-compatible server, for a --model without a provider
  --api-key-env <name>  the environment variable that holds its key`;

type Asked = Pick<Invocation, 'flags' | 'own' | 'lists'>;

/**
 * Returns the model options from flags, the environment and settings. Prints issues in the settings to
 * stderr. Throws `usage.bad-input` if a flag would have no effect.
 */
export function chosenModels(invocation: Asked & Pick<Invocation, 'terminal'>): ModelOptions {
  const { settings, issues } = readSettings(modelSources(invocation));
  printIssues(
    issues.filter(({ details }) => details?.['changesModel'] !== false), // `skilled doctor` reports the rest
    invocation,
  );
  const options = settings.modelOptions ?? {};
  const hasCustom = Object.hasOwn(options.providers ?? {}, customProvider);
  const lost = (invocation.lists['model'] ?? []).find((given) => !given.includes('/'));
  if (!hasCustom && lost !== undefined)
    throw new AgentError('usage.bad-input', `--model ${lost} has no provider.`, {
      hint: 'Use the form provider/model, as in --model anthropic/<model>, or specify a server with --base-url.',
    });
  if (!hasCustom && invocation.own['api-key-env'] !== undefined)
    throw new AgentError('usage.bad-input', '--api-key-env needs --base-url.', {
      hint: 'Add --base-url <url>.',
    });
  return options;
}

/** Returns the settings sources for a command with model flags. */
export function modelSources(asked: Asked): SettingsSources {
  const { cwd, safe } = asked.flags;
  return settingsSources(cwd, { isSafe: safe, flags: [...offlineLayer(asked.flags), ...flagLayers(asked)] });
}

/** Returns the settings layer for `--offline` or `--no-offline`. */
function offlineLayer({ offline }: CommonFlags): readonly SettingsLayer[] {
  if (offline === undefined) return [];
  return [{ name: 'flag', from: offline ? '--offline' : '--no-offline', values: { offline } }];
}

/**
 * Returns the settings layers for the model flags. A model for all tiers comes before the models for
 * individual tiers, regardless of the order of the flags.
 */
function flagLayers({ own, lists }: Asked): readonly SettingsLayer[] {
  const models = (lists['model'] ?? []).map((given) => {
    const [, tier, names = given] = /^([\w-]+)=(.*)$/.exec(given) ?? [];
    return layer('--model', tier === undefined ? ['models'] : ['models', tier], modelNamesOf(names));
  });
  const isForAll = ({ values }: SettingsLayer): boolean =>
    typeof values['models'] !== 'object' || Array.isArray(values['models']);
  return [
    ...models.filter(isForAll),
    ...models.filter((one) => !isForAll(one)),
    ...providerLayer('--base-url', 'baseUrl', own['base-url']),
    ...providerLayer('--api-key-env', 'apiKeyEnv', own['api-key-env']),
  ];
}

function providerLayer(
  flag: string,
  member: string,
  value: string | boolean | undefined,
): readonly SettingsLayer[] {
  return value === undefined ? [] : [layer(flag, ['providers', customProvider, member], value)];
}

function layer(flag: string, path: readonly string[], value: Json): SettingsLayer {
  const fitted = shapeAt(path)?.fit(value, flag, (_, expected) => {
    throw new AgentError('usage.bad-input', `${flag} must be ${expected}.`, {
      hint:
        flag === '--base-url'
          ? 'Write it in full, as in --base-url http://127.0.0.1:11434/v1'
          : 'Add --help to see the flags.',
    });
  });
  return { name: 'flag', from: flag, values: withKey({}, path, fitted ?? value) };
}

/** The role flag, which all commands that start runs accept. */
export const roleFlags = { role: { type: 'string', multiple: true } } as const;

/** The help text for the role flag. */
export const roleFlagsHelp = `  --role <name>         your role, for skills that only some roles may use; repeatable`;

/**
 * Returns the CLI user, with the roles from flags, the environment or settings. Returns undefined if the user
 * has no roles.
 */
export function userOf({ flags, lists }: Pick<Invocation, 'flags' | 'lists'>): RunUser | undefined {
  const sources = settingsSources(flags.cwd, { isSafe: flags.safe, flags: roleLayers(lists) });
  const roles = readSettings(sources).settings.all?.['roles'];
  return areRoles(roles) ? { roles } : undefined;
}

/** Returns a settings layer with the roles set by flags. Throws `usage.bad-input` for an invalid role. */
export function roleLayers(lists: Invocation['lists']): readonly SettingsLayer[] {
  const roles = lists['role'] ?? [];
  if (roles.length === 0) return [];
  if (!areRoles(roles))
    throw new AgentError('usage.bad-input', `--role must be ${rolesExpected}.`, {
      hint: 'Pass each role as --role <name>.',
    });
  return [{ name: 'flag', from: '--role', values: { roles } }];
}
