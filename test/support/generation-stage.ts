import { openStaging } from '../../src/generation/staging.ts';
import { planGeneration, type GenerationPlan, type Recipe } from '../../src/generation/plan-generation.ts';
import { withGeneration } from '../../src/generation/lock.ts';

/** The recipe that generation tests use. */
export const recipe: Recipe = { generator: 'test 1', tier: 'code', contract: 'Adds.' };

/** Options for generating code without a model. */
export interface Making {
  readonly recipe?: Recipe;
  readonly force?: boolean;
  /** Returns the text of a target file. By default, a comment with the target's name. */
  readonly text?: (target: string) => string;
  /** Runs before the new code replaces the old code. */
  readonly beforeSwap?: () => void;
}

/**
 * Generates all code of a skill that is due, as a generator does but without a model. Returns the plan and
 * the digests before and after the generation.
 */
export function generate(
  dir: string,
  {
    recipe: usedRecipe = recipe,
    force = false,
    text = (target) => `// ${target}\n`,
    beforeSwap,
  }: Making = {},
): Promise<{ readonly plan: GenerationPlan; readonly from: string; readonly to: string }> {
  return withGeneration(dir, { signal: new AbortController().signal }, async () => {
    const plan = planGeneration(dir, usedRecipe, { force });
    if (plan === undefined) throw new Error('There are no specs.');
    using staging = openStaging(dir);
    const planned = plan.files.filter(({ status }) => status !== 'drifted');
    for (const { spec, status } of planned)
      if (status === 'due') staging.write(spec.target, text(spec.target));
    for (const target of plan.orphans) staging.remove(target);
    const { generator, tier } = usedRecipe;
    const files = Object.fromEntries(
      planned.map(({ spec, inputs }) => [spec.target, { spec: spec.path, inputs }] as const),
    );
    const to = staging.finish({ generator, tier, contract: plan.contract, files });
    beforeSwap?.();
    staging.commit();
    return { plan, from: staging.origin, to };
  });
}

/** Returns each file's status in the plan, keyed by target. */
export function statuses(
  dir: string,
  how: { readonly force?: boolean } = {},
  usedRecipe: Recipe = recipe,
): Readonly<Record<string, string>> {
  const files = planGeneration(dir, usedRecipe, how)?.files ?? [];
  return Object.fromEntries(files.map(({ spec, status }) => [spec.target, status]));
}
