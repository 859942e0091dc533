import { isJsonObject, type Json } from '../core/json.ts';
import { findSecretShapes } from '../core/secret-shapes.ts';
import { secretsIn } from '../core/secrets-in.ts';

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

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  const inner: readonly Json[] = Array.isArray(value)
    ? value
    : isJsonObject(value)
      ? Object.values(value)
      : [];
  return inner.flatMap((part) => textsIn(part));
}
