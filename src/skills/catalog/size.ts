import { instruction, noteOf } from './instruction.ts';
import type { Budget } from './limits.ts';
import { closing, opening, textOf, type Part } from './part.ts';
import { countTokens } from './tokens.ts';

/** How large a piece of a catalog is; tokens are 0 where nobody limits them. */
export interface Size {
  readonly chars: number;
  readonly tokens: number;
}

/** Measures the pieces of one catalog. Each ends a line with `>`, where o200k never joins tokens, so that sizes add up. */
export interface Measure {
  of(part: Part, cap: number): Size;
  /** Whether skills of this size fit with all that stands around them. */
  fits(skills: Size, shown: number, all: number): boolean;
}

/** A measure that counts tokens only where they are limited, and each text once. */
export function measureFor({ maxChars, maxTokens }: Budget): Measure {
  const known = new Map<string, number>();
  const tokensOf = (text: string): number => {
    if (maxTokens === Infinity) return 0;
    const before = known.get(text) ?? countTokens(text);
    known.set(text, before);
    return before;
  };
  const sizeOf = (text: string): Size => ({ chars: text.length, tokens: tokensOf(text) });
  return {
    of: (part, cap) => sizeOf(textOf(part, cap)),
    fits(skills, shown, all) {
      const start = sizeOf(instruction + opening);
      const end = sizeOf(closing + noteOf(shown, all));
      return (
        start.chars + skills.chars + end.chars <= maxChars &&
        start.tokens + skills.tokens + end.tokens <= maxTokens
      );
    },
  };
}

/** Both together. */
export function plus(a: Size, b: Size): Size {
  return { chars: a.chars + b.chars, tokens: a.tokens + b.tokens };
}

/** The size of nothing. */
export const nothing: Size = { chars: 0, tokens: 0 };
