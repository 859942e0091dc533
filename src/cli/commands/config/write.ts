import { settingsFiles, type FileLayer, type SettingsFile } from '../../../config/paths.ts';
import { explainSetting } from '../../../config/read/layers.ts';
import { ownSettings, readLayers, settingsSources } from '../../../config/read/settings.ts';
import { findUntrustedValues } from '../../../config/read/untrusted-project.ts';
import { shapeAt } from '../../../config/schema/definition.ts';
import { keyOf, valueAt, withKey } from '../../../config/schema/key.ts';
import { withCurrentKeys } from '../../../config/schema/renamed.ts';
import type { SettingFault } from '../../../config/schema/setting.ts';
import { isInTrustedProject, prepareTrustUpdate } from '../../../config/trust.ts';
import { checkSetting } from '../../../config/write/check-setting.ts';
import {
  removeSetting,
  settingsTarget,
  withoutSetting,
  withSetting,
  writeSetting,
} from '../../../config/write/write-setting.ts';
import { AgentError, optional, parseJson, type Json } from '../../../core/index.ts';
import { mustBeFolder, oneLine, printJson, type Invocation } from '../../command-kit.ts';
import { mustBeOurs, namedKey, warnRenamedKey } from './keys.ts';

/**
 * Writes a value to a settings file and prints the file's path. Warns if another layer overrides the value.
 */
export async function setSetting(invocation: Invocation): Promise<number> {
  const { flags, args, terminal } = invocation;
  const path = namedKey(invocation, 'set');
  const [, text] = args;
  if (text === undefined)
    throw new AgentError('usage.bad-input', 'Missing a value.', {
      hint: `Run \`skilled config set ${keyOf(path)} <value>\`; \`skilled config unset ${keyOf(path)}\` removes one.`,
    });
  mustBeOurs(path);
  const value = readValue(path, text, invocation);
  const target = fileForValue(invocation, path, value);
  const sources = settingsSources(flags.cwd);
  checkSetting(target, path, value, ownSettings(sources), isInTrustedProject(target, sources));
  const updateTrust = prepareTrustUpdate(target, sources, (before) => withSetting(before, path, value));
  writeSetting(target, path, value);
  await updateTrust();
  if (flags.json) printJson(terminal, { ok: true, key: keyOf(path), value, ...target });
  else terminal.out(`${oneLine(target.file)}\n`);
  const { says } = explainSetting(path, readLayers(sources).layers);
  const winners = says.filter(({ wins }) => wins);
  const [higher] = winners;
  const counts = winners.some(({ from }) => from === target.file);
  if (higher !== undefined && !counts && !flags.quiet && !flags.json)
    terminal.err(`${oneLine(higher.from)} (${higher.layer}) still takes precedence.\n`);
  return 0;
}

/**
 * Interprets a value as JSON, as plain text and as a comma-separated list. Returns the first interpretation
 * that the setting accepts.
 */
function readValue(path: readonly string[], text: string, invocation: Invocation): Json {
  const shape = shapeAt(path);
  const list = text.split(',').map((part) => part.trim());
  const json = parseJson(text);
  const current = json === undefined ? undefined : underCurrentKeys(path, json, invocation);
  const candidates = [current, text, list.filter((part) => part !== '')];
  const fits = (value: Json | undefined): value is Json => {
    let isRight = true;
    if (value !== undefined) shape?.fit(value, '', () => (isRight = false));
    return value !== undefined && isRight;
  };
  const found = candidates.find(fits);
  if (found !== undefined) return found;
  const { path: faultPath, expected, fault } = deepestFault(path, candidates);
  throw new AgentError('usage.bad-input', `"${faultPath}" must be ${expected}.`, {
    hint: fault?.hint ?? `\`skilled config explain ${keyOf(path)}\` shows what it accepts.`,
    ...optional('details', fault && { key: faultPath, ...fault.details }),
  });
}

/** Replaces deprecated keys in the value of a group of settings, such as `limits`. */
function underCurrentKeys(path: readonly string[], value: Json, invocation: Invocation): Json {
  const values = withCurrentKeys(withKey({}, path, value), (old, current) => {
    warnRenamedKey(old, current, invocation);
  });
  return valueAt(values, path) ?? value;
}

interface FoundFault {
  readonly path: string;
  readonly expected: string;
  readonly fault?: SettingFault | undefined;
}

/**
 * Returns the validation error of the interpretation that is closest to the expected type. Because the value
 * can be secret, the message contains it only if the type's own error message does.
 */
function deepestFault(path: readonly string[], candidates: readonly (Json | undefined)[]): FoundFault {
  const faults: FoundFault[] = [];
  for (const value of candidates) {
    if (value === undefined) continue;
    shapeAt(path)?.fit(
      value,
      keyOf(path),
      (faultPath, expected, fault) => void faults.push({ path: faultPath, expected, fault }),
    );
  }
  const depth = (one: FoundFault): number => one.path.split('.').length;
  const [deepest] = faults.toSorted((one, other) => depth(other) - depth(one));
  return deepest ?? { path: keyOf(path), expected: 'something else' };
}

/** Removes a value, if set, from a settings file and prints the file's path. */
export async function unsetSetting(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  const path = namedKey(invocation, 'unset');
  const target = fileWithValue(invocation, path);
  const updateTrust = prepareTrustUpdate(target, settingsSources(flags.cwd), (before) =>
    withoutSetting(before, path),
  );
  const removed = removeSetting(target, path);
  if (removed) await updateTrust();
  if (flags.json) printJson(terminal, { ok: true, key: keyOf(path), removed, ...target });
  else if (removed) terminal.out(`${oneLine(target.file)}\n`);
  else if (!flags.quiet) terminal.err(`${oneLine(keyOf(path))} is not set in ${oneLine(target.file)}.\n`);
  return 0;
}

const layers: readonly FileLayer[] = ['user', 'project', 'local'];

/**
 * Returns the settings file for a new value. If a project cannot set the value, returns the user's own
 * settings file, unless a flag names another file.
 */
function fileForValue(invocation: Invocation, path: readonly string[], value: Json): SettingsFile {
  const sources = settingsSources(invocation.flags.cwd);
  const named = namedFile(invocation);
  if (named !== undefined) return named;
  const isOwn = findUntrustedValues(withKey({}, path, value), ownSettings(sources)).length > 0;
  const target = settingsTarget(sources, undefined);
  return isOwn && !isInTrustedProject(target, sources) ? settingsTarget(sources, 'user') : target;
}

/**
 * Returns the settings file to remove a value from: the file named by a flag, or else the file with the
 * highest precedence that contains the value.
 */
function fileWithValue(invocation: Invocation, path: readonly string[]): SettingsFile {
  const named = namedFile(invocation);
  if (named !== undefined) return named;
  const sources = settingsSources(invocation.flags.cwd);
  const has = new Set(
    readLayers(sources)
      .layers.filter(({ values }) => valueAt(values, path) !== undefined)
      .map(({ from }) => from),
  );
  const found = settingsFiles(sources).findLast(({ file }) => has.has(file));
  return found ?? settingsTarget(sources, undefined);
}

function namedFile({ flags, own }: Invocation): SettingsFile | undefined {
  mustBeFolder(flags.cwd, '--cwd');
  if (flags.safe)
    throw new AgentError('usage.bad-input', '--safe ignores all settings files.', { hint: 'Leave it out.' });
  const [first, second] = layers.filter((layer) => own[layer] === true);
  if (second !== undefined)
    throw new AgentError('usage.bad-input', `--${String(first)} and --${second} cannot be used together.`, {
      hint: 'Use only one of these flags.',
    });
  return first === undefined ? undefined : settingsTarget(settingsSources(flags.cwd), first);
}
