import { RecursiveSkilledAgent } from '../../src/index.ts';
import { everydayPrompts, publicSkills } from '../../test/support/everyday-skills.ts';
import { tree } from '../../test/support/tree.ts';

/** The results for everyday prompts. */
export interface Everyday {
  readonly prompts: number;
  readonly right: number;
  /** The prompts for which a skill fits, but the ranking says that none does. */
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/** Ranks the skills of the example workshop and twenty public ones for forty everyday prompts. */
export async function everyday(embeddings: boolean): Promise<Everyday> {
  using folder = tree(publicSkills);
  const agent = new RecursiveSkilledAgent({
    startDir: new URL('../../examples/workshop', import.meta.url).pathname,
    settings: true,
    additionalSkillRoots: [folder.at('skills')],
    offline: true,
    ...(embeddings ? {} : { embeddings: false }),
  });
  await agent.skills.awaitMeanings();
  const among = agent.skills.list().filter(({ source }) => source !== 'bundled');
  const answers: { readonly prompt: string; readonly meant: string; readonly found: string }[] = [];
  for (const [prompt, meant] of everydayPrompts) {
    const { candidates, abstain } = await agent.skills.rank(prompt, { among });
    answers.push({ prompt, meant, found: abstain ? '' : (candidates[0]?.name ?? '') });
  }
  await agent.shutdown();
  const others = answers.filter(({ meant, found }) => meant !== found);
  return {
    prompts: answers.length,
    right: answers.length - others.length,
    missed: others.filter(({ found }) => found === '').map(({ prompt }) => prompt),
    wrong: others.filter(({ found }) => found !== '').map(({ prompt }) => prompt),
  };
}
