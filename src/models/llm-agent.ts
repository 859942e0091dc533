import type { ZodType, output } from 'zod';
import {
  AgentError,
  askValue,
  badInput,
  collect,
  fencesIn,
  mustAnswer,
  optional,
  schemaOf,
  tiersInChain,
  withoutThinking,
  type Json,
  type JsonObject,
  type Message,
  type Model,
  type ModelChoice,
  type ModelEvent,
  type ModelOptions,
  type ModelReply,
  type ModelRequest,
  type ModelSource,
  type NamedModel,
  type Tier,
  type Tool,
} from '../core/index.ts';
import { mediate } from './fallback.ts';
import { createLedger, withLedger, type Ledger, type OpenLedger } from './ledger.ts';
import { createFailingModel } from './model-end.ts';
import { deferModel, noneConfigured, openOnce, switchedOff } from './open-once.ts';
import { chooseTier, describeTiers, tierOf, tiersIn, type TierUse } from './tiers.ts';

/** Options that determine which models an LLM agent uses. */
export interface LLMAgentOptions extends ModelOptions {
  /** Opens a model by its name (`provider/model`). Called once per name. May throw. */
  readonly open?: (name: string) => Model;
  /** Finds models if `models` is not set. Called on each request until it returns models. */
  readonly find?: () => ModelChoice | undefined | Promise<ModelChoice | undefined>;
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** The settings of a model call, apart from the prompt. */
export interface CallSettings {
  /** A role, a tier or `provider/model`. Defaults to the tier `default`. */
  readonly tier?: Tier;
  readonly system?: string;
  /**
   * The reasoning effort: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. Default: the model's
   * own.
   */
  readonly effort?: string;
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

/** A model request: a prompt, a conversation, or a conversation followed by a prompt. */
export interface CompletionRequest extends CallSettings {
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  readonly tools?: readonly Tool[];
  /** The JSON Schema for the entire response. */
  readonly output?: JsonObject;
}

/** Sends requests to models. Handles tiers, fallbacks, retries and structured output, and tracks costs. */
export class BareLLMAgent implements ModelSource {
  readonly #options: LLMAgentOptions;
  readonly #open: (named: NamedModel) => Model;
  readonly #ledger: OpenLedger = createLedger();
  readonly #models = new Map<string, Model>();
  #modelSearch: Promise<ModelChoice | undefined> | undefined;

  constructor(options: LLMAgentOptions = {}) {
    this.#options = options;
    this.#open = openOnce(options.open, options.providers);
  }

  /** The usage and cost of all calls. */
  get ledger(): Ledger {
    return this.#ledger;
  }

  /**
   * Returns the model for a role, a tier or a `provider/model` name. Returns the same object for the same
   * name.
   */
  model(name: Tier): Model {
    const before = this.#models.get(name);
    if (before !== undefined) return before;
    const model = withLedger(this.#choose(name), name, this.#ledger, this.#options.now ?? Date.now);
    this.#models.set(name, model);
    return model;
  }

  /** Streams the response to a request. The `end` event states why the response ended. Never throws. */
  stream(
    request: ModelRequest,
    { tier = 'default', signal = never() }: Pick<CallSettings, 'tier' | 'signal'> = {},
  ): AsyncIterable<ModelEvent> {
    return this.model(tier).stream(request, signal);
  }

  /**
   * Returns the complete answer. `reason` states whether the answer was refused or cut off. Throws if the
   * model does not answer.
   */
  async complete({ prompt, messages = [], ...settings }: CompletionRequest): Promise<ModelReply> {
    const { tier = 'default', signal = never(), ...request } = settings;
    const all: readonly Message[] =
      prompt === undefined ? messages : [...messages, { role: 'user', text: prompt }];
    if (all.length === 0) {
      throw new AgentError('usage.bad-input', 'The request has neither a prompt nor messages.', {
        hint: 'Add a prompt or messages.',
      });
    }
    const model = this.model(tier);
    const reply = await collect(model.stream({ ...request, messages: all }, signal));
    if (reply.reason === 'error' || reply.reason === 'aborted') mustAnswer(model, reply);
    return reply;
  }

  /**
   * Returns the answer to a prompt in the requested shape. Throws the model's error if there is no answer.
   */
  executePrompt(
    text: string,
    settings?: CallSettings & { readonly responseShape?: 'text' | 'code' },
  ): Promise<string>;
  executePrompt<Schema extends ZodType>(
    text: string,
    settings: CallSettings & { readonly responseShape: Schema },
  ): Promise<output<Schema>>;
  executePrompt(
    text: string,
    settings: CallSettings & { readonly responseShape: 'json' | JsonObject },
  ): Promise<Json>;
  executePrompt(
    text: string,
    {
      tier = 'default',
      signal = never(),
      responseShape = 'text',
      ...request
    }: CallSettings & {
      readonly responseShape?: ResponseShape;
    } = {},
  ): Promise<unknown> {
    const asked: ModelRequest = { ...request, messages: [{ role: 'user', text }] };
    return askShaped(this.model(tier), asked, responseShape, signal);
  }

  /**
   * Returns the models of each role and tier, and where they come from. If no models are configured,
   * searches for models, unless offline.
   */
  async tiers(): Promise<readonly TierUse[]> {
    const { models, tierConfig, offline } = this.#options;
    const isSet = namesModels(models);
    const choice = isSet || offline === true ? models : await this.#find();
    return describeTiers(choice, tierConfig, isSet ? 'set' : 'found');
  }

  #choose(name: Tier): Model {
    const { models, find, tierConfig, offline } = this.#options;
    if (offline === true) return createFailingModel(`offline/${name}`, switchedOff);
    const names = tiersIn(models).includes(name) ? [name] : tiersInChain(name);
    const isModel = (one: Tier): boolean => one.includes('/') && !tiersIn(models).includes(one);
    const modelsIn = (choice: ModelChoice | undefined): readonly NamedModel[] => {
      const all = names.map((one) =>
        isModel(one) ? [one] : chooseTier(tierOf(one, choice, tierConfig), choice).models,
      );
      return [...new Set(all.flat())];
    };
    if (namesModels(models) || names.every(isModel)) return this.#mediate(modelsIn(models));
    const tier = names.map((one) => tierOf(one, models, tierConfig)).join(', ');
    if (find === undefined && !names.some(isModel)) return createFailingModel(`none/${tier}`, noneConfigured);
    return deferModel(`found/${tier}`, async () => {
      const chosen = modelsIn(await this.#find());
      return chosen.length === 0 ? createFailingModel(`none/${tier}`, noneConfigured) : this.#mediate(chosen);
    });
  }

  #mediate(chosen: readonly NamedModel[]): Model {
    const { retries = 2, idleSeconds = 120 } = this.#options;
    return mediate(
      chosen.map((named) => this.#open(named)),
      { retries, idleSeconds },
    );
  }

  /**
   * Searches for models. Concurrent callers share one search. If it finds no models, the next call searches
   * again.
   */
  async #find(): Promise<ModelChoice | undefined> {
    const { find } = this.#options;
    this.#modelSearch ??= Promise.resolve().then(() => find?.());
    let found: ModelChoice | undefined;
    try {
      found = await this.#modelSearch;
    } finally {
      if (!namesModels(found)) this.#modelSearch = undefined;
    }
    return found;
  }
}

function namesModels(choice: ModelChoice | undefined): boolean {
  return chooseTier('default', choice).models.length > 0;
}

function never(): AbortSignal {
  return new AbortController().signal;
}

/**
 * The shape of an answer: its text, the JSON value or the code block in it, or a value that matches a zod
 * schema or a JSON Schema.
 */
export type ResponseShape = 'text' | 'json' | 'code' | ZodType | JsonObject;

/**
 * Requests an answer in the given shape. Throws the model's error, or `model.bad-answer` if the answer does
 * not match the shape.
 */
async function askShaped(
  model: Model,
  request: ModelRequest,
  shape: ResponseShape,
  signal: AbortSignal,
): Promise<unknown> {
  if (shape === 'text') return askText(model, request, signal);
  if (shape === 'code') return codeIn(await askText(model, withOrder(request), signal));
  if (shape === 'json') return (await askValue(model, request, (value) => value, signal)).value;
  if (!isZodType(shape)) return (await askValue(model, request, shape, signal)).value;
  const asked = { ...request, ...optional('output', schemaOf(shape)) };
  return (await askValue(model, asked, (value) => fitZod(shape, value), signal)).value;
}

async function askText(model: Model, request: ModelRequest, signal: AbortSignal): Promise<string> {
  const reply = await collect(model.stream(request, signal));
  mustAnswer(model, reply);
  return reply.text;
}

function withOrder({ system = '', ...request }: ModelRequest): ModelRequest {
  const order = 'Answer with only the code, in one fenced block.';
  return { ...request, system: system === '' ? order : `${system}\n\n${order}` };
}

/** Returns the content of the first fenced code block, or the entire text if there is none. */
function codeIn(text: string): string {
  const answer = withoutThinking(text);
  const [first] = fencesIn(answer);
  return first?.content ?? answer;
}

function isZodType(shape: ZodType | JsonObject): shape is ZodType {
  return typeof shape['safeParseAsync'] === 'function';
}

async function fitZod(schema: ZodType, value: Json): Promise<unknown> {
  const { success, data, error } = await schema.safeParseAsync(value);
  if (success) return data;
  throw badInput('the answer', error.issues, value);
}
