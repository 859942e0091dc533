import { explainSetting } from '../../../config/read/layers.ts';
import { ownSettings, readLayers, settingsSources } from '../../../config/read/settings.ts';
import { shapeAt } from '../../../config/schema/definition.ts';
import { keyOf } from '../../../config/schema/key.ts';
import type { Fault } from '../../../config/schema/setting.ts';
import { isInTrustedProject, keepTrust } from '../../../config/trust.ts';
import { checkSetting } from '../../../config/write/check-setting.ts';
import { setInJson } from '../../../config/write/edit-json.ts';
import { writeSetting } from '../../../config/write/write-setting.ts';
import { optional } from '../../../core/collections.ts';
import { AgentError } from '../../../core/error.ts';
import { parseJson, type Json } from '../../../core/json.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import { mustBeOurs, namedKey } from './must-know-key.ts';
import { fileForValue } from './settings-file.ts';

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
  readonly fault?: Fault | undefined;
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
