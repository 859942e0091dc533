import { openStaging } from '../../src/generation/staging.ts';
import { planGeneration, type GenerationPlan, type Recipe } from '../../src/generation/plan-generation.ts';
import { withGeneration } from '../../src/generation/lock.ts';

/** What the tests of generation make code with. */
export const recipe: Recipe = { generator: 'test 1', tier: 'code', contract: 'Adds.' };

/** How a test makes code in the place of a model. */
export interface Making {
  readonly recipe?: Recipe;
  readonly force?: boolean;
  /** The text of a file; without one it names its target. */
  readonly text?: (target: string) => string;
  /** Runs before the new code takes its place. */
  readonly beforeSwap?: () => void;
}

/** Makes all code of a skill that is due, as a generator does but without a model; gives the plan and the digest that was foretold. */
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

/** What is to be done about each file, by target. */
export function statuses(
  dir: string,
  how: { readonly force?: boolean } = {},
  usedRecipe: Recipe = recipe,
): Readonly<Record<string, string>> {
  const files = planGeneration(dir, usedRecipe, how)?.files ?? [];
  return Object.fromEntries(files.map(({ spec, status }) => [spec.target, status]));
}
