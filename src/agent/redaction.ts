import {
  createRedactor,
  isJsonObject,
  variablesIn,
  type Json,
  type ProviderChoice,
  type Redact,
  type ServerDescription,
  type SettingValue,
} from '../core/index.ts';
import {
  inheritedVariables,
  looksSecret,
  variable,
  type Environment,
} from '../skills/eligibility/environment.ts';
import type { AgentOptions, Ports, Settings } from './options.ts';
import type { Lender, SetUp } from './setup.ts';

/** Takes out these secrets and all that settings name, now or before: a reload of the settings adds to them. */
export function currentRedactor(lender: Lender, secrets: readonly string[]): Redact {
  const known = new Set(secrets);
  let made: { readonly for: SetUp; readonly redact: Redact } | undefined;
  const current = (): Redact => {
    const { setUp, options, ports } = lender;
    if (made?.for === setUp) return made.redact;
    for (const secret of namedSecrets(setUp.settings, options, ports.environment)) known.add(secret);
    made = { for: setUp, redact: createRedactor(known) };
    return made.redact;
  };
  return Object.assign((text: string) => current()(text), {
    isOpenAtEnd: (text: string) => current().isOpenAtEnd?.(text) ?? true,
  });
}

/** The values of the variables that settings give to skills and servers by name: whatever they are called, they are secrets. */
export function namedSecrets(
  settings: Settings,
  { providers, mcpServers = [] }: Pick<AgentOptions, 'providers' | 'mcpServers'>,
  environment: Ports['environment'],
): readonly string[] {
  const forSkills = Object.values(settings.skills?.entries ?? {}).flatMap(({ env = {}, apiKey }) =>
    [...Object.values(env), apiKey].map((value) => nameIn(value as Json | undefined)),
  );
  const names = [...forSkills, ...keysOf(settings.modelOptions?.providers), ...keysOf(providers)];
  const values = names.map((name) => (name === undefined ? undefined : variable(environment, name)));
  return [
    ...values.filter((value) => value !== undefined),
    ...serverSecrets([...mcpServers, ...(settings.servers ?? [])], environment),
  ];
}

function keysOf(providers: Readonly<Record<string, ProviderChoice>> = {}): readonly (string | undefined)[] {
  return Object.values(providers).map(({ apiKeyEnv }) => apiKeyEnv);
}

function nameIn(value: Json | undefined): string | undefined {
  const name = isJsonObject(value) ? value['env'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

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

/** The names of all variables in the texts of a description, as `${NAME}`. */
export function namesIn(description: ServerDescription): readonly string[] {
  const texts =
    description.kind === 'stdio'
      ? [description.command, ...description.args, ...Object.values(description.env)]
      : [description.url, ...Object.values(description.headers)];
  return texts.flatMap((text) => (typeof text === 'string' ? variablesIn(text) : []));
}

/** Whether a header of this name says who asks, and so holds a secret. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|token|secret|key|password|credential|session/i.test(name);
}
