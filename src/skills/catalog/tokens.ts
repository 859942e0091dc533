import type { countTokens as CountTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { loadPackage } from '../../core/package-files.ts';

const nothingSpecial = { disallowedSpecial: new Set<string>() };

let count: typeof CountTokens | undefined;

/** Tokens by o200k; `<|endoftext|>` and its like are ordinary text. The vocabulary is loaded on first use, in a fifth of a second. */
export function countTokens(text: string): number {
  if (text === '') return 0;
  count ??= (loadPackage('gpt-tokenizer/encoding/o200k_base') as { countTokens: typeof CountTokens })
    .countTokens;
  return count(text, nothingSpecial);
}
