import { AgentError, type ErrorData } from '../core/error.ts';
import type { Price } from '../core/model/sources.ts';
import type { Model } from '../core/model.ts';
import { didYouMean, nearestNames } from '../core/names.ts';
import { optional } from '../core/collections.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import { openAiSdkModel } from './ai-sdk.ts';
import { createFailingModel } from './failing.ts';
import { loadModel } from './load-model.ts';
import { priceOf } from './prices.ts';
import {
  customProvider,
  placeOf,
  providerNames,
  type Mismatch,
  type Origin,
  type ProviderPlace,
  type ProviderSources,
} from './provider-place.ts';

/** What decides about a model besides its name. */
export interface OpenOptions extends ProviderSources {
  /** By `provider/model`; they go before the table of the package. */
  readonly prices?: Readonly<Record<string, Price>>;
}

/** The model of the name `provider/model`. It always opens: keys are looked up, packages loaded and faults told when it is first asked. */
export function openModel(name: string, options: OpenOptions): Model {
  let model: Model | undefined;
  return {
    id: name,
    stream: (request, signal) => (model ??= open(name, options)).stream(request, signal),
  };
}

function open(name: string, options: OpenOptions): Model {
  const [, provider = '', modelName = ''] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (provider === '') return createFailingModel(name, noName(name));
  const place = placeOf(provider, options);
  if (place === undefined) return createFailingModel(name, noProvider(provider, options));
  if (place.mismatch !== undefined) return createFailingModel(name, mismatched(place.label, place.mismatch));
  if (!URL.canParse(place.url)) return createFailingModel(name, noAddress(place));
  return openAiSdkModel({
    asked: {
      id: name,
      model: modelName,
      label: place.label,
      url: place.url,
      ...optional('key', place.key),
      keyHint: keyHint(place),
      redact: createRedactor(place.key === undefined ? [] : [place.key.value]),
    },
    price: priceOf(name, options.prices) ?? (isHere(place) ? free : undefined),
    open: () => {
      if (place.needsKey && place.key === undefined) return Promise.reject(noKey(place));
      return loadModel(place, modelName);
    },
  });
}

const free: Price = { input: 0, output: 0 };

/** A server of this machine, which nobody sends a bill for. */
function isHere({ url, keyVariables }: ProviderPlace): boolean {
  return keyVariables.length === 0 && /^(?:localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
}

function noName(name: string): ErrorData {
  return {
    code: 'model.unavailable',
    message: `"${name}" is not the name of a model.`,
    hint: 'Write the provider, a slash and the model, such as "ollama/llama3.2".',
  };
}

function noProvider(provider: string, options: OpenOptions): ErrorData {
  const names = providerNames(options);
  const near = nearestNames(provider, names);
  return {
    code: 'model.unavailable',
    message: `There is no provider "${provider}".`,
    hint: didYouMean(provider, names) ?? `Providers are ${names.join(', ')}; settings may name others.`,
    details: { near },
  };
}

function noAddress({ label, url }: ProviderPlace): ErrorData {
  return {
    code: 'model.unavailable',
    message: `The address of ${label} is "${url}", which is no URL.`,
    hint: 'Write it in full, such as "http://127.0.0.1:11434/v1".',
  };
}

/** Why nothing is sent: a key must not reach an address that somebody else chose. */
export function mismatched(label: string, { key, address }: Mismatch): ErrorData {
  const isOfProject = key.from === '.env';
  return {
    code: 'model.denied',
    message: `The key of ${label} is from ${sourceText(key)}, its address from ${sourceText(address)}. Nothing was sent: a key is only used with an address from the same source.`,
    hint: isOfProject
      ? `Write ${address.name} into the .env of the project as well, or set ${key.name} in your environment.`
      : hintFor(key, address),
    details: { passing: false, key: { ...key }, address: { ...address } },
  };
}

function sourceText({ name, from }: Origin): string {
  return from === 'environment' ? `${name} in your environment` : `${name} in ${from}`;
}

function hintFor(key: Origin, { name, from }: Origin): string {
  return from === '.env'
    ? `Set ${name} in your environment as well, or write ${key.name} into the .env of the project.`
    : `Write ${key.name} into the .env of the project, or put the server into your own settings: \`skilled config set --user ${name.replace(/\.baseUrl$/, '')} <value>\`.`;
}

function noKey(place: ProviderPlace): AgentError {
  const { label, keyVariables } = place;
  const isOne = keyVariables.length === 1;
  const none = isOne ? `${keyVariables.join()} is not set` : `neither ${keyVariables.join(' nor ')} is set`;
  return new AgentError('model.denied', `${label} asks for a key, and ${none}.`, {
    hint: keyHint(place),
    details: { passing: false },
  });
}

function keyHint({ name, keyVariables }: ProviderPlace): string {
  const [variable] = keyVariables;
  if (variable !== undefined) return `Set ${variable} to a key that is valid.`;
  return name === customProvider
    ? 'Name the variable that holds the key with --api-key-env or SKILLED_API_KEY_ENV.'
    : `Name the variable that holds the key as "apiKeyEnv" of the provider "${name}".`;
}
