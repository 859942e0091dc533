import { settingOf, type Explanation } from '../../../config/read/layers.ts';
import { readLayers } from '../../../config/read/settings.ts';
import { settingsDefinition } from '../../../config/schema/definition.ts';
import { keyPath } from '../../../config/schema/key.ts';
import { storeName } from '../../../config/storage/run-store.ts';
import { withoutSecrets } from '../../../config/write/check-setting.ts';
import { AgentError, didYouMean, type Json } from '../../../core/index.ts';
import {
  limitLayers,
  modelSources,
  mustBeFolder,
  roleLayers,
  sayFindings,
  type Invocation,
} from '../../command-kit.ts';

/** The key that the words of a command name; throws `usage.bad-input` where there is none. */
export function namedKey(words: readonly string[], action: string): readonly string[] {
  const [key] = words;
  if (key !== undefined) return keyPath(key);
  throw new AgentError('usage.bad-input', 'Name a setting.', {
    hint: `Write \`skilled config ${action} <key>\`.`,
  });
}

/** Throws `usage.not-found` for a key that is neither ours nor set anywhere. */
export function mustBeSomewhere({ key, setting, value }: Explanation): void {
  if (setting === undefined && value === undefined) throw noSuchKey(key);
}

/** Throws `usage.not-found` for a key that is not ours. */
export function mustBeOurs(path: readonly string[]): void {
  if (settingOf(path) === undefined && !isGroup(path.join('.'))) throw noSuchKey(path.join('.'));
}

/** Whether settings lie below a key that is none itself, as below `limits`. */
export function isGroup(key: string): boolean {
  return settingsDefinition.some((setting) => setting.key.startsWith(`${key}.`));
}

function noSuchKey(key: string): AgentError {
  const near = didYouMean(
    key,
    settingsDefinition.map((setting) => setting.key),
  );
  return new AgentError('usage.not-found', `There is no setting "${key}".`, {
    hint: near ?? '`skilled config list --all` shows all settings.',
  });
}

/**
 * A value as it may be printed: the address of a store or a database comes from the environment and may hold a password,
 * and a server may have been given a secret as it is.
 */
export function shownValue(key: string, value: Json): Json {
  const [first, ...path] = keyPath(key);
  if (first === 'mcpServers') return withoutSecrets(value, path.at(-1) ?? '');
  if (!['store', 'database'].includes(key) || typeof value !== 'string') return value;
  return storeName({ where: value, isAddress: /^postgres(?:ql)?:/.test(value) });
}

/** A value as text: text as it is, anything else as JSON. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Every layer of the settings, lowest first, those of flags included; what is wrong with them is also said on stderr. */
export function knownLayers(invocation: Invocation): ReturnType<typeof readLayers> {
  mustBeFolder(invocation.flags.cwd, '--cwd');
  const { flags = [], ...sources } = modelSources(invocation);
  const known = readLayers({
    ...sources,
    flags: [...flags, ...limitLayers(invocation.own), ...roleLayers(invocation.lists)],
  });
  sayFindings(known.issues, invocation);
  return known;
}
