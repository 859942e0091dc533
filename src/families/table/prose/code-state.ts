import { join } from 'node:path';
import { optional, type ErrorData } from '../../../core/index.ts';
import { failureOf } from '../../../generation/status.ts';
import { planGeneration } from '../../../generation/plan-generation.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { buildPromise } from './build-promise.ts';
import { proseItems, type ProseItem } from './prose-items.ts';
import { proseRecipe, proseTarget } from './prose-recipe.ts';

/** What there is of code for the words of a table. */
export interface CodeState {
  /** The absolute path of the code. */
  readonly module: string;
  /** What the code there does, by the words that it was made of. */
  readonly kept: readonly ProseItem[];
  /** What is written and nothing does. */
  readonly open: readonly ProseItem[];
  /** Why not all of it is code. */
  readonly failure?: ErrorData;
}

/** Looks which of the words of a table the code in its folder was made of; code that a person wrote is for all of them. Never throws. */
export function lookAtCode(definition: TableDefinition, dir: string): CodeState {
  const items = proseItems(definition);
  const recipe = proseRecipe(definition);
  const plan = dir === '' || recipe === undefined ? undefined : planGeneration(dir, recipe);
  const file = plan?.files.find(({ spec }) => spec.target === proseTarget);
  const module = join(dir, 'src', proseTarget);
  const isMadeFor = (item: ProseItem): boolean => {
    if (file?.digest === undefined) return false;
    return plan?.before === undefined || `${plan.before.contract}\n`.includes(`${buildPromise(item)}\n`);
  };
  return {
    module,
    kept: items.filter(isMadeFor),
    open: items.filter((item) => !isMadeFor(item)),
    ...optional('failure', plan && failureOf(dir, plan)?.error),
  };
}
