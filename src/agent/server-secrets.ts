import type { ServerDescription, SettingValue } from '../core/servers/tool-server.ts';
import { inheritedVariables, variable } from '../skills/environment.ts';
import type { Environment } from '../skills/environment.ts';
import { looksSecret } from '../skills/refused-variables.ts';
import { isSecretHeader } from './is-secret-header.ts';
import { namesIn } from './names-in-server.ts';

/**
 * What must not be kept or shown of servers that settings and options describe: the values of the variables that they
 * name, whatever these are called, and texts that stand where a secret stands.
 */
export function serverSecrets(
  servers: readonly ServerDescription[],
  environment: Environment,
): readonly string[] {
  const secrets = servers.flatMap((server) => {
    const given = valuesOf(server);
    const named = given.flatMap(({ value }) => (typeof value === 'object' ? [value.env] : []));
    const inTexts = server.expands === true ? namesIn(server).filter((name) => !isOfEverybody(name)) : [];
    const values = [...named, ...inTexts].map((name) => variable(environment, name));
    const plain = given.flatMap(({ value, isSecret }) =>
      isSecret && typeof value === 'string' ? [value] : [],
    );
    return [...values, ...plain];
  });
  return secrets
    .filter((text) => text !== undefined)
    .flatMap(partsOf)
    .filter((text) => text.length >= shortest);
}

const shortest = 4;

interface Given {
  readonly value: SettingValue;
  readonly isSecret: boolean;
}

function valuesOf(server: ServerDescription): readonly Given[] {
  if (server.kind === 'stdio')
    return Object.entries(server.env).map(([name, value]) => ({ value, isSecret: looksSecret(name) }));
  const { bearer, oauth, headers } = server;
  const secrets = [bearer, oauth?.clientSecret, oauth?.refreshToken].filter((value) => value !== undefined);
  return [
    ...Object.entries(headers).map(([name, value]) => ({ value, isSecret: isSecretHeader(name) })),
    ...secrets.map((value) => ({ value, isSecret: true })),
  ];
}

/** A header is the secret with a word before it, as in `Bearer …`; both are known, and each without blanks around it. */
function partsOf(text: string): readonly string[] {
  const whole = text.trim();
  const [, token] = /^[A-Za-z]+\s+(\S+)$/.exec(whole) ?? [];
  return token === undefined ? [whole] : [whole, token];
}

/** Every process has these, and no log could do without what they say. */
function isOfEverybody(name: string): boolean {
  return name === 'PWD' || inheritedVariables.includes(name);
}
