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

/** Everything that decides which models are used, and how. */
export interface LLMAgentOptions extends ModelOptions {
  /** Opens a model by its name `provider/model`; called once for each name, and may throw. */
  readonly open?: (name: string) => Model;
  /** What to use when `models` names none; looked for when a model is first asked, and again until something is found. */
  readonly find?: () => ModelChoice | undefined | Promise<ModelChoice | undefined>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What a call may say beside its prompt. */
export interface CallSettings {
  /** A role, a tier or `provider/model`; the tier `default` unless given. */
  readonly tier?: Tier;
  readonly system?: string;
  readonly effort?: string;
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

/** One request: a prompt, a conversation, or a conversation and the prompt that follows it. */
export interface Completion extends CallSettings {
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  readonly tools?: readonly Tool[];
  /** JSON Schema that the whole answer must fit. */
  readonly output?: JsonObject;
}

/** The layer between those who need a model and the providers: tiers, fallbacks, retries, answers of a shape, and the bill. */
export class BareLLMAgent implements ModelSource {
  readonly #options: LLMAgentOptions;
  readonly #open: (named: NamedModel) => Model;
  readonly #ledger: OpenLedger = createLedger();
  readonly #models = new Map<string, Model>();
  #finding: Promise<ModelChoice | undefined> | undefined;

  constructor(options: LLMAgentOptions = {}) {
    this.#options = options;
    this.#open = openOnce(options.open, options.providers);
  }

  /** What every call cost, whoever made it. */
  get ledger(): Ledger {
    return this.#ledger;
  }

  /** The model of a role, of a tier, or of the name `provider/model`; the same one each time. */
  model(name: Tier): Model {
    const before = this.#models.get(name);
    if (before !== undefined) return before;
    const model = withLedger(this.#choose(name), name, this.#ledger, this.#options.now ?? Date.now);
    this.#models.set(name, model);
    return model;
  }

  /** The answer as it comes; its `end` says why it ended, and nothing is thrown. */
  stream(
    request: ModelRequest,
    { tier = 'default', signal = never() }: Pick<CallSettings, 'tier' | 'signal'> = {},
  ): AsyncIterable<ModelEvent> {
    return this.model(tier).stream(request, signal);
  }

  /** The whole answer, which may be a refusal or too long (see its `reason`); throws when there is none. */
  async complete({ prompt, messages = [], ...settings }: Completion): Promise<ModelReply> {
    const { tier = 'default', signal = never(), ...request } = settings;
    const all: readonly Message[] =
      prompt === undefined ? messages : [...messages, { role: 'user', text: prompt }];
    if (all.length === 0) {
      throw new AgentError('usage.bad-input', 'There is nothing to complete.', {
        hint: 'Give a prompt or messages.',
      });
    }
    const model = this.model(tier);
    const reply = await collect(model.stream({ ...request, messages: all }, signal));
    if (reply.reason === 'error' || reply.reason === 'aborted') mustAnswer(model, reply);
    return reply;
  }

  /** The answer to a prompt in the shape that is asked for; throws an error of the model when there is none. */
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

  /** Which models each role and tier comes to, and why; what is not set is looked for unless this is offline. */
  async tiers(): Promise<readonly TierUse[]> {
    const { models, tierConfig, offline } = this.#options;
    const isSet = namesModels(models);
    const choice = isSet || offline === true ? models : await this.#find();
    return describeTiers(choice, tierConfig, isSet ? 'set' : 'found');
  }

  #choose(name: Tier): Model {
    const { models, find, tierConfig, offline } = this.#options;
    if (offline === true) return createFailingModel(`offline/${name}`, switchedOff);
    if (name.includes('/') && !tiersIn(models).includes(name)) return this.#mediate([name]);
    const tier = tierOf(name, models, tierConfig);
    if (namesModels(models)) return this.#mediate(chooseTier(tier, models).models);
    if (find === undefined) return createFailingModel(`none/${tier}`, noneConfigured);
    return deferModel(`found/${tier}`, async () => {
      const chosen = chooseTier(tier, await this.#find()).models;
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

  /** Looks once for all who wait; when that came to nothing, the next one who asks looks again. */
  async #find(): Promise<ModelChoice | undefined> {
    const { find } = this.#options;
    this.#finding ??= Promise.resolve().then(() => find?.());
    let found: ModelChoice | undefined;
    try {
      found = await this.#finding;
    } finally {
      if (!namesModels(found)) this.#finding = undefined;
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

/** What is made of an answer: the text, the JSON value or the code in it, or a value that fits a zod or JSON Schema. */
export type ResponseShape = 'text' | 'json' | 'code' | ZodType | JsonObject;

/** Asks for an answer of a shape; throws the failure of the model, or `model.bad-answer` when it does not keep to it. */
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
  const order = 'Answer with the code in one fenced block and with nothing else.';
  return { ...request, system: system === '' ? order : `${system}\n\n${order}` };
}

/** The content of the first fenced block; a text without one is code as a whole. */
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
  throw badInput('the answer', error.issues);
}
