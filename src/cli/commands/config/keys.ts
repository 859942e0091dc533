import { settingOf, type Explanation } from '../../../config/read/layers.ts';
import { readLayers } from '../../../config/read/settings.ts';
import { settingsDefinition } from '../../../config/schema/definition.ts';
import { keyOf, keyPath } from '../../../config/schema/key.ts';
import { currentPath } from '../../../config/schema/renamed.ts';
import { storeName } from '../../../config/storage/run-store.ts';
import { withoutSecrets } from '../../../config/write/check-setting.ts';
import { AgentError, didYouMean, type Json } from '../../../core/index.ts';
import {
  limitLayers,
  modelSources,
  mustBeFolder,
  roleLayers,
  printIssues,
  type Invocation,
} from '../../command-kit.ts';

/**
 * Returns the key that was passed as an argument, and warns if the key is deprecated. Throws
 * `usage.bad-input` if the key is missing.
 */
export function namedKey(invocation: Invocation, action: string): readonly string[] {
  const [key] = invocation.args;
  if (key !== undefined) {
    const path = keyPath(key);
    const current = currentPath(path);
    if (current !== undefined) warnRenamedKey(key, keyOf(current), invocation);
    return current ?? path;
  }
  throw new AgentError('usage.bad-input', 'Missing setting name.', {
    hint: `Run \`skilled config ${action} <key>\`.`,
  });
}

/** Warns on stderr that a key argument is a deprecated name. */
export function warnRenamedKey(old: string, current: string, { flags, terminal }: Invocation): void {
  if (!flags.quiet) terminal.err(`"${old}" is now "${current}". The next release ignores the old name.\n`);
}

/** Throws `usage.not-found` for an unknown key that has no value in any layer. */
export function mustBeSomewhere({ key, setting, value }: Explanation): void {
  if (setting === undefined && value === undefined) throw noSuchKey(key);
}

/** Throws `usage.not-found` for an unknown key. */
export function mustBeOurs(path: readonly string[]): void {
  if (settingOf(path) === undefined && !isGroup(path.join('.'))) throw noSuchKey(path.join('.'));
}

/** Whether a key is a group of settings, such as `limits`, rather than a setting itself. */
export function isGroup(key: string): boolean {
  return settingsDefinition.some((setting) => setting.key.startsWith(`${key}.`));
}

function noSuchKey(key: string): AgentError {
  const near = didYouMean(
    key,
    settingsDefinition.map((setting) => setting.key),
  );
  return new AgentError('usage.not-found', `Unknown setting "${key}".`, {
    hint: near ?? '`skilled config list --all` lists all settings.',
  });
}

/**
 * Returns a value with its secrets hidden: a store or database address can contain a password, and server
 * options can contain other secrets.
 */
export function shownValue(key: string, value: Json): Json {
  const [first, ...path] = keyPath(key);
  if (first === 'mcpServers') return withoutSecrets(value, path.at(-1) ?? '');
  if (!['store', 'database'].includes(key) || typeof value !== 'string') return value;
  return storeName({ where: value, isAddress: /^postgres(?:ql)?:/.test(value) });
}

/** Formats a value as text: strings unchanged, anything else as JSON. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns all settings layers, including flags, in ascending precedence. Prints their issues to stderr. */
export function knownLayers(invocation: Invocation): ReturnType<typeof readLayers> {
  mustBeFolder(invocation.flags.cwd, '--cwd');
  const { flags = [], ...sources } = modelSources(invocation);
  const known = readLayers({
    ...sources,
    flags: [...flags, ...limitLayers(invocation.own), ...roleLayers(invocation.lists)],
  });
  printIssues(known.issues, invocation);
  return known;
}
