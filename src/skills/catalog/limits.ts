import { AgentError } from '../../core/error.ts';

/** How large a catalog may be; all that are given hold at once. */
export interface CatalogLimits {
  /** 150 unless said. */
  readonly maxSkills?: number | undefined;
  /** UTF-16 units of the whole text; 30,000 unless said. */
  readonly maxChars?: number | undefined;
  /** Tokens of the whole text by o200k; none unless said. */
  readonly maxTokens?: number | undefined;
  /** Tokens that the model takes in; the catalog gets a share of them. */
  readonly contextWindow?: number | undefined;
  /** The share, 0 to 1; a fiftieth unless said: 4,000 of 200,000 tokens. */
  readonly windowShare?: number | undefined;
}

/** Limits with every default filled in. */
export interface Budget {
  readonly maxSkills: number;
  readonly maxChars: number;
  /** Infinity when tokens are not counted. */
  readonly maxTokens: number;
}

/** The limits as they will be kept; throws `usage.bad-input` for what is no size. */
export function budgetOf(limits: CatalogLimits): Budget {
  const { maxSkills = 150, maxChars = 30_000, maxTokens = Infinity } = limits;
  const { contextWindow = Infinity, windowShare = 0.02 } = limits;
  const given = { maxSkills, maxChars, maxTokens, contextWindow, windowShare };
  for (const [name, value] of Object.entries(given)) checkSize(name, value);
  if (windowShare > 1) throw badLimit('windowShare', 'is more than the whole', 'Give a number from 0 to 1.');
  const share = contextWindow === Infinity ? Infinity : contextWindow * windowShare;
  return { maxSkills: Math.floor(maxSkills), maxChars, maxTokens: Math.min(maxTokens, share) };
}

function checkSize(name: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return;
  throw badLimit(name, 'is not a number from 0 up', 'Give a number, or leave it out for the default.');
}

function badLimit(name: string, what: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `The catalog limit ${name} ${what}.`, { hint });
}
