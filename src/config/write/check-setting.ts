import { readFileSync } from 'node:fs';
import { isSecretHeader } from '../../agent/redaction.ts';
import {
  AgentError,
  findSecretShapes,
  isJsonObject,
  parseJsonWithComments,
  secretsIn,
  type Json,
  type JsonObject,
} from '../../core/index.ts';
import { looksSecret } from '../../skills/eligibility/environment.ts';
import type { SettingsFile } from '../paths.ts';
import { fitSettings } from '../read/settings-file.ts';
import { unbelieved } from '../read/untrusted-project.ts';
import { keyOf, withKey } from '../schema/key.ts';

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

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a text anywhere in a value has the shape of a credential, or is the value of a variable that holds one. */
export function hasSecret(value: Json, environment: Environment = process.env): boolean {
  const known = secretsIn(environment);
  return textsIn(value).some(
    (text) => findSecretShapes(text).length > 0 || known.some((secret) => text.includes(secret)),
  );
}

/** Whether a text under this name would be kept secret in the environment. */
function isSecretName(name: string, value: Json): boolean {
  return typeof value === 'string' && secretsIn({ [name]: value }).length > 0;
}

/** The value without the texts in it whose names say that they are secret, as `bearer` and `Authorization`; a reference to a variable stays. */
export function withoutSecrets(value: Json, name = ''): Json {
  if (isJsonObject(value)) {
    const isReference = Object.keys(value).length === 1 && typeof value['env'] === 'string';
    if (isReference) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, key)]));
  }
  const isSecret = isSecretHeader(name) || looksSecret(name) || name === 'bearer';
  return typeof value === 'string' && isSecret ? '[redacted]' : value;
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  const inner: readonly Json[] = Array.isArray(value)
    ? value
    : isJsonObject(value)
      ? Object.values(value)
      : [];
  return inner.flatMap((part) => textsIn(part));
}
