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
import type { AgentContext, SetUp } from './setup.ts';

/**
 * Returns a redactor for `secrets` and for all secrets that the settings refer to. Reloading the settings
 * adds secrets but never removes any.
 */
export function currentRedactor(context: AgentContext, secrets: readonly string[]): Redact {
  const known = new Set(secrets);
  let cached: { readonly for: SetUp; readonly redact: Redact } | undefined;
  const current = (): Redact => {
    const { setUp, options, ports } = context;
    if (cached?.for === setUp) return cached.redact;
    for (const secret of namedSecrets(setUp.settings, options, ports.environment)) known.add(secret);
    cached = { for: setUp, redact: createRedactor(known) };
    return cached.redact;
  };
  return Object.assign((text: string) => current()(text), {
    isOpenAtEnd: (text: string) => current().isOpenAtEnd?.(text) ?? true,
  });
}

/**
 * Returns the values of the variables that settings pass by name to skills, servers and providers. All of
 * these values are secrets, regardless of the variables' names.
 */
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
 * Returns the secrets of the servers in settings and options: the value of every variable that a server
 * refers to, regardless of the variable's name, and any plain text in fields meant for secrets.
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

/**
 * Returns the trimmed value and, if it starts with a scheme such as `Bearer`, also the secret without the
 * scheme. Both forms are redacted.
 */
function partsOf(text: string): readonly string[] {
  const whole = text.trim();
  const [, token] = /^[A-Za-z]+\s+(\S+)$/.exec(whole) ?? [];
  return token === undefined ? [whole] : [whole, token];
}

/**
 * Whether the variable is set in every process, like `PWD`. Redacting such values would make logs useless.
 */
function isOfEverybody(name: string): boolean {
  return name === 'PWD' || inheritedVariables.includes(name);
}

/** Returns the names of all `${NAME}` variables in a server description's text fields. */
export function namesIn(description: ServerDescription): readonly string[] {
  const texts =
    description.kind === 'stdio'
      ? [description.command, ...description.args, ...Object.values(description.env)]
      : [description.url, ...Object.values(description.headers)];
  return texts.flatMap((text) => (typeof text === 'string' ? variablesIn(text) : []));
}

/** Whether a header with this name authenticates the caller and therefore contains a secret. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|token|secret|key|password|credential|session/i.test(name);
}
