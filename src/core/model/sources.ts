import type { Model, Tier } from '../model.ts';

/** What needs a model names one of these; settings say which tier each of them uses. */
export type Role = 'plan' | 'execution' | 'code' | 'summary';

/** Where models come from. */
export interface ModelSource {
  /** The model of a role, of a tier, or of the name `provider/model`; one that cannot be used says why when it is asked. */
  model(name: Tier): Model | undefined;
}

/** A model by its name `provider/model`, or one that is there. */
export type NamedModel = string | Model;

/** What a tier uses: when the first one fails, the next is asked. */
export type TierChoice = NamedModel | readonly NamedModel[];

/** One choice for everything, or one for each tier. */
export type ModelChoice = TierChoice | Readonly<Record<Tier, TierChoice>>;

/** A server that speaks the protocol of OpenAI, under a name of its own. */
export interface ProviderChoice {
  readonly baseUrl: string;
  /** The environment variable that holds the key; none is sent unless given. */
  readonly apiKeyEnv?: string;
  /** `text` for models that cannot call tools by themselves. */
  readonly tools?: 'native' | 'text';
  /** Whose address it is: `project` for one from the settings of a trusted project, whose key is read from its `.env`. Default `user`. */
  readonly addressFrom?: 'user' | 'project';
  /** Who named `apiKeyEnv`; as `addressFrom` unless given. A key is never sent to an address of somebody else. */
  readonly keyFrom?: 'user' | 'project';
}

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** For input that a cache had; as other input unless given. */
  readonly cached?: number;
  /** For input that was written to a cache; as other input unless given. */
  readonly cacheWrite?: number;
}

/** Everything that decides about models. */
export interface ModelOptions {
  /** Default: what is found on this machine. */
  readonly models?: ModelChoice;
  /** Which tier each role uses; what is absent is as usual. */
  readonly tierConfig?: Readonly<Partial<Record<Role, Tier>>>;
  /** Further servers, by the name that stands before the slash. */
  readonly providers?: Readonly<Record<string, ProviderChoice>>;
  /** By `provider/model`; goes before the table that comes with the package. */
  readonly prices?: Readonly<Record<string, Price>>;
  /** How often a model is asked again after a fault that may pass. Default 2. */
  readonly retries?: number;
  /** Seconds without a sign of life after which an attempt is given up. Default 120. */
  readonly idleSeconds?: number;
  /** No model is asked, whatever is configured. */
  readonly offline?: boolean;
}

// Sizes of one provider's models, as roles and tiers that every installation has.
const sizes: ReadonlyMap<string, Tier> = new Map([
  ['haiku', 'fast'],
  ['sonnet', 'execution'],
  ['opus', 'plan'],
]);

/** The role, tier or model that a file asks for; undefined for `inherit`, which is that of every other skill. */
export function namedTier(model: string): Tier | undefined {
  const word = model.trim().toLowerCase();
  return word === '' || word === 'inherit' ? undefined : (sizes.get(word) ?? model.trim());
}

const known: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Whether a word is an effort that some model is known to take; others are passed on as they are. */
export function isKnownEffort(word: string): boolean {
  return known.includes(word);
}

/** Turns texts into vectors of unit length: the product of two tells how near the meanings of their texts are. */
export interface Embedder {
  /** Model and version: only vectors of one name are comparable. */
  readonly name: string;
  /** The length of every vector. */
  readonly dimensions: number;
  /**
   * One vector per text, in order. Urgent texts go before all others that wait and keep the process alive until
   * they are answered; the others do neither. Rejects with an AgentError, `model.aborted` when the signal said so.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Ends the work; what waits is rejected. May be called twice. */
  close(): Promise<void>;
}

/** How one call is treated among others; by default it is work for the background. */
export interface EmbedOptions {
  /** Someone waits for the answer. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal;
}
