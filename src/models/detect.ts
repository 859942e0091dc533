import { createRedactor, isJsonObject, type ErrorData, type Json } from '../core/index.ts';
import { toErrorData } from './ai-sdk/error-data.ts';
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

/** The answer of a server: its models, or the reason why it did not list them. */
export interface ServerAnswer {
  readonly address: ProviderAddress;
  /** The server's models, in its own order. */
  readonly models?: readonly string[];
  /** `model.unavailable` or `model.timeout` if the server could not be reached. */
  readonly fault?: ErrorData;
}

/** Finds the servers that list models, querying them in parallel. Never throws. */
export async function findServers(
  servers: readonly ProviderAddress[] = usualServers,
  patienceMs = patience,
): Promise<readonly DetectedProvider[]> {
  const answers = await askServers(servers, patienceMs);
  return answers.flatMap(({ address: { key: _, ...address }, models }) =>
    models === undefined ? [] : [{ ...address, from: 'server' as const, models }],
  );
}

/** Asks servers for their models, in parallel. Never throws. */
export function askServers(
  servers: readonly ProviderAddress[],
  patienceMs = patience,
): Promise<readonly ServerAnswer[]> {
  return Promise.all(servers.map((address) => askServer(address, patienceMs)));
}

async function askServer(address: ProviderAddress, patienceMs: number): Promise<ServerAnswer> {
  const { provider, label, url, key } = address;
  try {
    const { hostname, port } = new URL(url);
    const isNearby = hostname === '127.0.0.1' && port !== '';
    if (isNearby && !(await isListening(Number(port), hostname, patienceMs)))
      throw Object.assign(new Error('Nothing listens.'), { code: 'ECONNREFUSED' });
    const signal = AbortSignal.timeout(patienceMs);
    const headers = key === undefined ? {} : { authorization: `Bearer ${key.value}` };
    const response = await fetch(`${url}/models`, { signal, headers, redirect: 'error' });
    if (!response.ok) throw Object.assign(new Error('No list.'), { statusCode: response.status });
    const models = namesIn((await response.json()) as Json);
    return { address, ...(models === undefined ? { fault: noList } : { models }) };
  } catch (thrown) {
    const redact = createRedactor(key === undefined ? [] : [key.value]);
    if (thrown instanceof SyntaxError) return { address, fault: noList };
    return { address, fault: toErrorData(thrown, { id: provider, model: '', label, url, redact }) };
  }
}

const noList: ErrorData = { code: 'model.failed', message: 'The server sent no list of models.' };

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
