import type { Made } from '../core/made.ts';
import type { Recipe } from './plan-generation.ts';

/** How the generated code of a skill stands; undefined where it has no specs. Looks only. Never throws. */
export function inspectGeneration(_dir: string, _recipe: Recipe): Made | undefined {
  throw new Error('not yet');
}
