import { settingsDefinition } from '../../../config/schema/definition.ts';
import { settingOf, type Explanation } from '../../../config/read/layers.ts';
import { keyPath } from '../../../config/schema/key.ts';
import { AgentError } from '../../../core/error.ts';
import { didYouMean } from '../../../core/names.ts';

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
