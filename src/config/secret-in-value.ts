import { isSecretHeader } from '../agent/is-secret-header.ts';
import { isJsonObject } from '../core/json.ts';
import type { Json } from '../core/json.ts';
import { findSecretShapes, secretsIn } from '../core/secrets/shapes.ts';
import { looksSecret } from '../skills/refused-variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a text anywhere in a value has the shape of a credential, or is the value of a variable that holds one. */
export function hasSecret(value: Json, environment: Environment = process.env): boolean {
  const known = secretsIn(environment);
  return textsIn(value).some(
    (text) => findSecretShapes(text).length > 0 || known.some((secret) => text.includes(secret)),
  );
}

/** Whether a text under this name would be kept secret in the environment. */
export function isSecretName(name: string, value: Json): boolean {
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
