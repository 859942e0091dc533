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
import { findUntrustedValues } from '../read/untrusted-project.ts';
import { keyOf, withKey } from '../schema/key.ts';

/**
 * Throws `usage.bad-input` if the key is unknown, the value is invalid or a secret, or a project must not set
 * it. `own` contains the values in the user's own file. `isTrusted` is true if the project is trusted.
 */
export function checkSetting(
  target: SettingsFile,
  path: readonly string[],
  value: Json,
  own: JsonObject,
  isTrusted = false,
): void {
  const key = keyOf(path);
  if (hasSecret(value) || isSecretName(path.at(-1) ?? '', value))
    throw new AgentError('usage.bad-input', `The value for "${key}" looks like a secret.`, {
      hint: 'Put it into an environment variable and set the name of the variable: "apiKeyEnv" for a provider, {"env": "NAME"} for a skill or a server.',
    });
  const before = valuesIn(target.file);
  const after = withKey(before, path, value);
  const [fault] = faultsIn(after).filter((found) => !faultsIn(before).includes(found));
  if (fault !== undefined)
    throw new AgentError('usage.bad-input', `${fault}.`, {
      hint: `Run \`skilled config explain ${key}\` to see its valid values.`,
    });
  const [strange] =
    target.layer === 'user' || isTrusted ? [] : findUntrustedValues(withKey({}, path, value), own);
  if (strange === undefined) return;
  const message = `"${key}" is ignored in project settings. ${strange.reason}`;
  throw new AgentError('usage.bad-input', message, {
    hint: 'Add --user to write it to your own settings, or edit the file yourself and then trust the project: `skilled trust grant .`',
  });
}

function faultsIn(values: JsonObject): readonly string[] {
  const faults: string[] = [];
  fitSettings(values, (path, expected) => void faults.push(`"${path}" must be ${expected}`));
  return faults;
}

/** Returns the values in a settings file, or an empty object if the file cannot be read. */
function valuesIn(file: string): JsonObject {
  try {
    const read = parseJsonWithComments(readFileSync(file, 'utf8'));
    return read.ok && isJsonObject(read.value) ? read.value : {};
  } catch {
    return {}; // The file is unreadable or does not exist yet.
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns whether a value contains a string that looks like a credential or that contains the value of a
 * secret variable.
 */
export function hasSecret(value: Json, environment: Environment = process.env): boolean {
  const known = secretsIn(environment);
  return textsIn(value).some(
    (text) => findSecretShapes(text).length > 0 || known.some((secret) => text.includes(secret)),
  );
}

/** Returns whether a setting is secret, judging by its name and value. */
function isSecretName(name: string, value: Json): boolean {
  return typeof value === 'string' && secretsIn({ [name]: value }).length > 0;
}

/** Redacts strings under names such as `bearer` and `Authorization`. Keeps references to variables. */
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
