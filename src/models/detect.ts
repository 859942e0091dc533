import { isJsonObject, type Json } from '../core/index.ts';
import { accountOf, type FoundKey, type VariableLookup } from './providers/keys.ts';
import { knownProviders, type UsualModels } from './providers/known.ts';

/** Something on this machine that models can come from; it never holds a key. */
export interface DetectedProvider {
  /** What stands before the slash. */
  readonly provider: string;
  /** As people call it. */
  readonly label: string;
  readonly from: 'environment' | '.env' | 'server';
  /** Which one holds the key. */
  readonly variable?: string;
  /** Where the server answers. */
  readonly url?: string;
  /** What the server has, in its own order. */
  readonly models?: readonly string[];
}

/** The keys that are set, the preferred provider first. */
export function findKeys(lookUp: VariableLookup): readonly DetectedProvider[] {
  return knownProviders.flatMap((known) => {
    const { name: provider, label } = known;
    const { key } = accountOf(known, lookUp);
    return key === undefined ? [] : [{ provider, label, from: key.from, variable: key.variable }];
  });
}

/** An address at which a provider is looked for. */
export interface ProviderAddress {
  readonly provider: string;
  readonly label: string;
  readonly url: string;
  /** For a server that lists nothing without one. */
  readonly key?: FoundKey;
}

/** The servers of one's own at their usual ports. */
export const usualServers: readonly ProviderAddress[] = knownProviders
  .filter(({ keys }) => keys.length === 0)
  .map(({ name: provider, label, url }) => ({ provider, label, url }));

const patience = 300; // milliseconds; a server on this machine answers at once or not at all

/** The servers that list models, asked all at the same time; never throws. */
export async function findServers(
  places: readonly ProviderAddress[] = usualServers,
  patienceMs = patience,
): Promise<readonly DetectedProvider[]> {
  const answers = await Promise.all(
    places.map(async ({ key, ...place }): Promise<DetectedProvider | undefined> => {
      const models = await listModels(place.url, key, patienceMs);
      return models === undefined ? undefined : { ...place, from: 'server', models };
    }),
  );
  return answers.filter((finding) => finding !== undefined);
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
    return undefined; // nothing is there, it is too slow, or it is something else
  }
}

// Mostly nothing is there, and loading what fetch() needs takes longer than everything else that a short command does.
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

/** Which models a finding stands for, as `provider/model`; undefined when its server has none that answers. Pure. */
export function usualModels({ provider, models }: DetectedProvider): UsualModels | undefined {
  const usual = knownProviders.find(({ name }) => name === provider)?.models;
  const first = models?.find((name) => !notForTalking.test(name));
  const { plan, fast, code } = usual ?? { plan: first, fast: first, code: first };
  if (plan === undefined || fast === undefined || code === undefined) return undefined;
  return { plan: `${provider}/${plan}`, fast: `${provider}/${fast}`, code: `${provider}/${code}` };
}
