import { settingsFiles, type FileLayer, type SettingsFile } from '../../../config/paths.ts';
import { explainSetting } from '../../../config/read/layers.ts';
import { ownSettings, readLayers, settingsSources } from '../../../config/read/settings.ts';
import { unbelieved } from '../../../config/read/untrusted-project.ts';
import { shapeAt } from '../../../config/schema/definition.ts';
import { keyOf, valueAt, withKey } from '../../../config/schema/key.ts';
import type { SettingFault } from '../../../config/schema/setting.ts';
import { isInTrustedProject, keepTrust } from '../../../config/trust.ts';
import { checkSetting } from '../../../config/write/check-setting.ts';
import { setInJson, unsetInJson } from '../../../config/write/edit-json.ts';
import { removeSetting, settingsTarget, writeSetting } from '../../../config/write/write-setting.ts';
import { AgentError, optional, parseJson, type Json } from '../../../core/index.ts';
import { mustBeFolder, oneLine, printJson, type Invocation } from '../../command-kit.ts';
import { mustBeOurs, namedKey } from './keys.ts';

/** Writes a value into a settings file and prints the file; says when another layer still wins. */
export async function setSetting(invocation: Invocation): Promise<number> {
  const { flags, words, terminal } = invocation;
  const path = namedKey(words, 'set');
  const [, text] = words;
  if (text === undefined)
    throw new AgentError('usage.bad-input', 'There is no value to set.', {
      hint: `Write \`skilled config set ${keyOf(path)} <value>\`; \`skilled config unset ${keyOf(path)}\` takes one away.`,
    });
  mustBeOurs(path);
  const value = readValue(path, text);
  const place = fileForValue(invocation, path, value);
  const sources = settingsSources(flags.cwd);
  checkSetting(place, path, value, ownSettings(sources), isInTrustedProject(place, sources));
  const keep = keepTrust(place, sources, (before) => setInJson(before, path, value));
  writeSetting(place, path, value);
  await keep();
  if (flags.json) printJson(terminal, { ok: true, key: keyOf(path), value, ...place });
  else terminal.out(`${oneLine(place.file)}\n`);
  const { says } = explainSetting(path, readLayers(sources).layers);
  const winners = says.filter(({ wins }) => wins);
  const [higher] = winners;
  const counts = winners.some(({ from }) => from === place.file);
  if (higher !== undefined && !counts && !flags.quiet && !flags.json)
    terminal.err(`${oneLine(higher.from)} (${higher.layer}) still goes before it.\n`);
  return 0;
}

/** JSON, else plain text, else a list with commas: the first that the setting can be. */
function readValue(path: readonly string[], text: string): Json {
  const shape = shapeAt(path);
  const list = text.split(',').map((part) => part.trim());
  const candidates = [parseJson(text), text, list.filter((part) => part !== '')];
  const fits = (value: Json | undefined): value is Json => {
    let isRight = true;
    if (value !== undefined) shape?.fit(value, '', () => (isRight = false));
    return value !== undefined && isRight;
  };
  const found = candidates.find(fits);
  if (found !== undefined) return found;
  const { path: place, expected, fault } = deepestFault(path, candidates);
  throw new AgentError('usage.bad-input', `"${place}" must be ${expected}.`, {
    hint: fault?.hint ?? `\`skilled config explain ${keyOf(path)}\` tells what it takes.`,
    ...optional('details', fault && { key: place, ...fault.details }),
  });
}

interface FoundFault {
  readonly path: string;
  readonly expected: string;
  readonly fault?: SettingFault | undefined;
}

/** The fault of the reading of a value that comes closest to its shape; the value is not repeated unless the shape does, as it may be a secret. */
function deepestFault(path: readonly string[], candidates: readonly (Json | undefined)[]): FoundFault {
  const faults: FoundFault[] = [];
  for (const value of candidates) {
    if (value === undefined) continue;
    shapeAt(path)?.fit(
      value,
      keyOf(path),
      (place, expected, fault) => void faults.push({ path: place, expected, fault }),
    );
  }
  const depth = (one: FoundFault): number => one.path.split('.').length;
  const [deepest] = faults.toSorted((one, other) => depth(other) - depth(one));
  return deepest ?? { path: keyOf(path), expected: 'something else' };
}

/** Takes a value out of a settings file, and prints the file; a value that is not there is no fault. */
export async function unsetSetting(invocation: Invocation): Promise<number> {
  const { flags, words, terminal } = invocation;
  const path = namedKey(words, 'unset');
  const place = fileWithValue(invocation, path);
  const keep = keepTrust(place, settingsSources(flags.cwd), (before) => unsetInJson(before, path));
  const removed = removeSetting(place, path);
  if (removed) await keep();
  if (flags.json) printJson(terminal, { ok: true, key: keyOf(path), removed, ...place });
  else if (removed) terminal.out(`${oneLine(place.file)}\n`);
  else if (!flags.quiet) terminal.err(`${oneLine(keyOf(path))} is not set in ${oneLine(place.file)}.\n`);
  return 0;
}

const layers: readonly FileLayer[] = ['user', 'project', 'local'];

/** The file that a value goes to; one that does not count in a project goes to the user's own unless another is named. */
function fileForValue(invocation: Invocation, path: readonly string[], value: Json): SettingsFile {
  const sources = settingsSources(invocation.flags.cwd);
  const named = namedFile(invocation);
  if (named !== undefined) return named;
  const isOwn = unbelieved(withKey({}, path, value), ownSettings(sources)).length > 0;
  const target = settingsTarget(sources, undefined);
  return isOwn && !isInTrustedProject(target, sources) ? settingsTarget(sources, 'user') : target;
}

/** The file that a value is taken from: the one that is named, else the highest that has it. */
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
    throw new AgentError('usage.bad-input', `--${String(first)} and --${second} are different files.`, {
      hint: 'Name one of them.',
    });
  return first === undefined ? undefined : settingsTarget(settingsSources(flags.cwd), first);
}
