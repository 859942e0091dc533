import type { Model, Tier } from '../model.ts';
import type { OtherProgram } from '../other-programs.ts';

/** The purpose of a model call; settings map each role to a tier. */
export type ModelRole = 'plan' | 'execution' | 'code' | 'summary';

/** A source of models. */
export interface ModelSource {
  /**
   * Returns the model for a role, a tier or a `provider/model` name. If the model cannot be used, calling it
   * reports the reason.
   */
  model(name: Tier): Model | undefined;
}

/** A model, given as `provider/model` or as an object. */
export type NamedModel = string | Model;

/** A tier's models. If the first one fails, the next one is tried. */
export type TierChoice = NamedModel | readonly NamedModel[];

/** A single choice of models for all tiers, or a separate choice for each tier. */
export type ModelChoice = TierChoice | Readonly<Record<Tier, TierChoice>>;

/** A server that speaks the OpenAI protocol, registered as a provider with its own name. */
export interface ProviderChoice {
  readonly baseUrl: string;
  /** The environment variable that contains the API key. If absent, no key is sent. */
  readonly apiKeyEnv?: string;
  /** The format in which the model calls tools. Use `text` for models without native tool calls. */
  readonly tools?: 'native' | 'text';
  /**
   * The origin of the address. `project` means the settings of a trusted project; the key is then read from
   * the project's `.env`. Default: `user`.
   */
  readonly addressFrom?: 'user' | 'project';
  /**
   * The origin of `apiKeyEnv`. Default: `addressFrom`. The key is only sent to addresses from this origin.
   */
  readonly keyFrom?: 'user' | 'project';
}

/** Prices in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** The price of input read from a cache. Default: `input`. */
  readonly cached?: number;
  /** The price of input written to a cache. Default: `input`. */
  readonly cacheWrite?: number;
}

/** Options for models. */
export interface ModelOptions {
  /** The models to use. Default: the models found on this machine. */
  readonly models?: ModelChoice;
  /** The tier for each role. Roles that are not listed keep their default. */
  readonly tierConfig?: Readonly<Partial<Record<ModelRole, Tier>>>;
  /** Additional servers, keyed by the name before the slash. */
  readonly providers?: Readonly<Record<string, ProviderChoice>>;
  /** Prices keyed by `provider/model`. They take precedence over the package's price table. */
  readonly prices?: Readonly<Record<string, Price>>;
  /** The number of retries after a transient error. Default: 2. */
  readonly retries?: number;
  /** The number of seconds without data after which an attempt is abandoned. Default: 120. */
  readonly idleSeconds?: number;
  /** Whether to block all model calls, even if models are configured. */
  readonly offline?: boolean;
}

/** The model names that other programs use in their files, each with the corresponding tier. */
export const modelNames: readonly {
  readonly name: string;
  readonly tier: Tier;
  readonly programs: readonly OtherProgram[];
}[] = [
  { name: 'haiku', tier: 'fast', programs: ['Claude Code'] },
  { name: 'sonnet', tier: 'execution', programs: ['Claude Code'] },
  { name: 'opus', tier: 'plan', programs: ['Claude Code'] },
];
const tiersByName = new Map(modelNames.map(({ name, tier }) => [name, tier]));

/**
 * Returns the role, tier or model that a skill file specifies. Returns undefined for `inherit`, which is the
 * default for skills.
 */
export function namedTier(model: string): Tier | undefined {
  const name = model.trim().toLowerCase();
  return name === '' || name === 'inherit' ? undefined : (tiersByName.get(name) ?? model.trim());
}

/** Returns a name for several models or tiers. A model source tries them in order until one answers. */
export function tierChain(names: readonly Tier[]): Tier {
  return [...new Set(names)].join(', ');
}

/**
 * Returns the models and tiers that a name from `tierChain` contains, in order. Any other name contains only
 * itself.
 */
export function tiersInChain(name: Tier): readonly Tier[] {
  const names = name.split(',').map((part) => part.trim());
  return names.length === 1 ? [name] : names.filter((part) => part !== '');
}

const known: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Whether any model is known to accept this effort level. Unknown levels are passed on unchanged. */
export function isKnownEffort(effort: string): boolean {
  return known.includes(effort);
}

/**
 * Converts strings to unit vectors. The dot product of two vectors measures how similar the strings' meanings
 * are.
 */
export interface Embedder {
  /** The model and version. Only vectors from embedders with the same name are comparable. */
  readonly name: string;
  /** The number of dimensions of every vector. */
  readonly dimensions: number;
  /**
   * Returns one vector per string, in order. Urgent requests run first and keep the process alive until they
   * finish; other requests do not. Rejects with an AgentError, which is `model.aborted` if the signal aborts.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Stops the work and rejects pending requests. Can be called more than once. */
  close(): Promise<void>;
}

/** Options for one call. By default, a call is background work. */
export interface EmbedOptions {
  /** Set if a user or a run is waiting for the result. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal;
}
