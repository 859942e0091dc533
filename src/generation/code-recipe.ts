import type { Recipe } from './plan-generation.ts';

/** What code of skills is made with: another number makes all of it anew, so it goes up when prompts or checks get better. */
export const codeRecipe = { generator: '1', tier: 'code' } as const satisfies Recipe;
