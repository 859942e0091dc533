import { readFileSync } from 'node:fs';
import { AgentError } from '../core/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { parseJsonWithComments } from './json-with-comments.ts';
import { fitSettings } from './read-file-layer.ts';
import { hasSecret, isSecretName } from './secret-in-value.ts';
import { keyOf, withKey } from './settings-key.ts';
import type { SettingsFile } from './settings-files.ts';
import { unbelieved } from './unbelieved.ts';

/** Throws `usage.bad-input` unless a value may be written under a known key of a settings file; `own` is what the user's file says, `believesAll` is set in a project that is trusted. */
export function checkSetting(
  place: SettingsFile,
  path: readonly string[],
  value: Json,
  own: JsonObject,
  believesAll = false,
): void {
  const key = keyOf(path);
  if (hasSecret(value) || isSecretName(path.at(-1) ?? '', value))
    throw new AgentError('usage.bad-input', `The value for "${key}" looks like a secret.`, {
      hint: 'Put it into an environment variable, and write the name of that: "apiKeyEnv" of a provider, {"env": "NAME"} for a skill or a server.',
    });
  const before = valuesIn(place.file);
  const after = withKey(before, path, value);
  const [fault] = faultsIn(after).filter((found) => !faultsIn(before).includes(found));
  if (fault !== undefined)
    throw new AgentError('usage.bad-input', `${fault}.`, {
      hint: `\`skilled config explain ${key}\` tells what it takes.`,
    });
  const [strange] = place.layer === 'user' || believesAll ? [] : unbelieved(withKey({}, path, value), own);
  if (strange === undefined) return;
  const message = `"${key}" does not count in the settings of a project. ${strange.reason}`;
  throw new AgentError('usage.bad-input', message, {
    hint: 'Write it into your own settings: add --user. Or write it into the file yourself, and then trust the project: `skilled trust grant .`',
  });
}

function faultsIn(values: JsonObject): readonly string[] {
  const faults: string[] = [];
  fitSettings(values, (path, expected) => void faults.push(`"${path}" must be ${expected}`));
  return faults;
}

/** What cannot be read is refused when it is to be written. */
function valuesIn(file: string): JsonObject {
  try {
    const read = parseJsonWithComments(readFileSync(file, 'utf8'));
    return read.ok && isJsonObject(read.value) ? read.value : {};
  } catch {
    return {}; // no file yet
  }
}
