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
} from '../../core/index.ts';
import type { CommonFlags, Invocation } from '../command.ts';
import { sayFindings } from '../output/diagnostics.ts';
import { amount, wholeNumber } from './flag-values.ts';

/** The flags that bound a run. */
export const limitFlags = {
  timeout: { type: 'string' },
  'max-depth': { type: 'string' },
  'max-steps': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-cost': { type: 'string' },
} as const;

/** Their part of a command's help. */
export const limitFlagsHelp = `  --timeout <seconds>   how long it may work
  --max-depth <number>  how deep calls may nest
  --max-steps <number>  model steps of one call
  --max-tokens <number> tokens in and out, all models together
  --max-cost <dollars>  US dollars`;

/** The limits that flags name; one that is no number is `usage.bad-input`. */
export function limitsOf(own: Invocation['own']): Partial<RunLimits> {
  return {
    ...optional('runSeconds', wholeNumber(own, 'timeout', 1)),
    ...optional('depth', wholeNumber(own, 'max-depth', 1)),
    ...optional('steps', wholeNumber(own, 'max-steps')),
    ...optional('tokens', wholeNumber(own, 'max-tokens')),
    ...optional('money', amount(own, 'max-cost')),
  };
}

/** The same as layers of the settings. */
export function limitLayers(own: Invocation['own']): readonly SettingsLayer[] {
  return Object.entries(limitsOf(own)).map(([name, value]) => {
    const flag = settingsDefinition.find(({ key }) => key === `limits.${name}`)?.flag ?? '';
    return { name: 'flag', from: flag, values: { limits: { [name]: value } } };
  });
}

/** The flags of every command that asks models. */
export const modelFlags = {
  model: { type: 'string', multiple: true },
  'base-url': { type: 'string' },
  'api-key-env': { type: 'string' },
} as const;

/** Their part of a command's help. */
export const modelFlagsHelp = `  --model <model>       provider/model for everything, or tier=provider/model; several with
                        commas are asked one after the other; may be repeated
  --base-url <url>      a server that speaks the protocol of OpenAI, for a --model without
                        a provider
  --api-key-env <name>  the environment variable that holds its key`;

type Asked = Pick<Invocation, 'flags' | 'own' | 'lists'>;

/** What flags, environment and settings come to for models; what is wrong with the settings is said on stderr, and flags that mean nothing are `usage.bad-input`. */
export function chosenModels(invocation: Asked & Pick<Invocation, 'terminal'>): ModelOptions {
  const { settings, issues } = readSettings(modelSources(invocation));
  sayFindings(
    issues.filter(({ details }) => details?.['changesModel'] !== false), // `skilled doctor` names the rest
    invocation,
  );
  const options = settings.modelOptions ?? {};
  const hasCustom = Object.hasOwn(options.providers ?? {}, customProvider);
  const lost = (invocation.lists['model'] ?? []).find((given) => !given.includes('/'));
  if (!hasCustom && lost !== undefined)
    throw new AgentError('usage.bad-input', `--model ${lost} names no provider.`, {
      hint: 'Write provider/model, as in --model anthropic/<model>, or name a server with --base-url.',
    });
  if (!hasCustom && invocation.own['api-key-env'] !== undefined)
    throw new AgentError('usage.bad-input', '--api-key-env needs a server.', {
      hint: 'Name it with --base-url <url>.',
    });
  return options;
}

/** Where the settings of a command come from that has these flags. */
export function modelSources(asked: Asked): SettingsSources {
  const { cwd, safe } = asked.flags;
  return settingsSources(cwd, { isSafe: safe, flags: [...offlineLayer(asked.flags), ...flagLayers(asked)] });
}

/** What `--offline` and `--no-offline` say. */
function offlineLayer({ offline }: CommonFlags): readonly SettingsLayer[] {
  if (offline === undefined) return [];
  return [{ name: 'flag', from: offline ? '--offline' : '--no-offline', values: { offline } }];
}

/** The model for all goes before those of single tiers, whatever their order. */
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

/** The flag of every command that begins runs. */
export const roleFlags = { role: { type: 'string', multiple: true } } as const;

/** Its part of a command's help. */
export const roleFlagsHelp = `  --role <name>         what you may do, for skills that let only some people in; may be
                        repeated`;

/** What whoever uses the command line may do, by flags, else by environment and settings; undefined where nothing says so. */
export function rolesOf({
  flags,
  lists,
}: Pick<Invocation, 'flags' | 'lists'>): readonly string[] | undefined {
  const sources = settingsSources(flags.cwd, { isSafe: flags.safe, flags: roleLayers(lists) });
  const roles = readSettings(sources).settings.all?.['roles'];
  return areRoles(roles) ? roles : undefined;
}

/** The roles that flags name as a layer of the settings; one without a name is `usage.bad-input`. */
export function roleLayers(lists: Invocation['lists']): readonly SettingsLayer[] {
  const roles = lists['role'] ?? [];
  if (roles.length === 0) return [];
  if (!areRoles(roles))
    throw new AgentError('usage.bad-input', `--role must come to ${rolesExpected}.`, {
      hint: 'Write a name behind each: --role <name>.',
    });
  return [{ name: 'flag', from: '--role', values: { roles } }];
}
