import { isJsonObject, type Json } from '../core/index.ts';
import { accountOf, type FoundKey, type VariableLookup } from './providers/keys.ts';
import { knownProviders, type UsualModels } from './providers/known.ts';

/** A model provider that was found on this machine, without its key. */
export interface DetectedProvider {
  /** The provider's name, which precedes the slash in a model name. */
  readonly provider: string;
  /** The provider's display name. */
  readonly label: string;
  readonly from: 'environment' | '.env' | 'server';
  /** The environment variable that contains the API key. */
  readonly variable?: string;
  /** The address of the server. */
  readonly url?: string;
  /** The server's models, in its own order. */
  readonly models?: readonly string[];
}

/** Returns the providers that have a key, in order of preference. */
export function findKeys(lookUp: VariableLookup): readonly DetectedProvider[] {
  return knownProviders.flatMap((known) => {
    const { name: provider, label } = known;
    const { key } = accountOf(known, lookUp);
    return key === undefined ? [] : [{ provider, label, from: key.from, variable: key.variable }];
  });
}

/** An address at which to look for a provider. */
export interface ProviderAddress {
  readonly provider: string;
  readonly label: string;
  readonly url: string;
  /** The API key, if the server requires one to list its models. */
  readonly key?: FoundKey;
}

/** The local servers on their standard ports. */
export const usualServers: readonly ProviderAddress[] = knownProviders
  .filter(({ keys }) => keys.length === 0)
  .map(({ name: provider, label, url }) => ({ provider, label, url }));

const patience = 300; // The timeout in milliseconds. A local server that is running responds quickly.

/** Finds the servers that list models, querying them in parallel. Never throws. */
export async function findServers(
  servers: readonly ProviderAddress[] = usualServers,
  patienceMs = patience,
): Promise<readonly DetectedProvider[]> {
  const answers = await Promise.all(
    servers.map(async ({ key, ...address }): Promise<DetectedProvider | undefined> => {
      const models = await listModels(address.url, key, patienceMs);
      return models === undefined ? undefined : { ...address, from: 'server', models };
    }),
  );
  return answers.filter((provider) => provider !== undefined);
}

async function listModels(
  url: string,
  key: FoundKey | undefined,
  patienceMs: number,
): Promise<readonly string[] | undefined> {
  try {
    const { hostname, port } = new URL(url);
    const isNearby = hostname === '127.0.0.1' && port !== '';
    if (isNearby && !(await isListening(Number(port), hostname, patienceMs))) return undefined;
    const signal = AbortSignal.timeout(patienceMs);
    const headers = key === undefined ? {} : { authorization: `Bearer ${key.value}` };
    const response = await fetch(`${url}/models`, { signal, headers, redirect: 'error' });
    return response.ok ? namesIn((await response.json()) as Json) : undefined;
  } catch {
    return undefined; // The server is not running, responds too slowly, or is not a model server.
  }
}

// Checks whether a port is open. It usually is not, so short commands avoid the cost of loading
// `fetch()`.
async function isListening(port: number, host: string, timeout: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout });
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', end(true)).once('timeout', end(false)).once('error', end(false));
  });
}

function namesIn(answer: Json): readonly string[] | undefined {
  const list = isJsonObject(answer) ? answer['data'] : undefined;
  if (!Array.isArray(list)) return undefined;
  const names = (list as readonly Json[]).map((model) => (isJsonObject(model) ? model['id'] : undefined));
  return names.filter((name) => typeof name === 'string');
}

const notForTalking = /embed|rerank|whisper|\btts\b|clip|bge-|minilm/i;

/**
 * Returns the default models of a detected provider as `provider/model`. Returns undefined if its server has
 * no chat model. Pure.
 */
export function usualModels({ provider, models }: DetectedProvider): UsualModels | undefined {
  const usual = knownProviders.find(({ name }) => name === provider)?.models;
  const first = models?.find((name) => !notForTalking.test(name));
  const { plan, fast, code } = usual ?? { plan: first, fast: first, code: first };
  if (plan === undefined || fast === undefined || code === undefined) return undefined;
  return { plan: `${provider}/${plan}`, fast: `${provider}/${fast}`, code: `${provider}/${code}` };
}
