import { applySkillsPromptLimits } from '../../src/skills/catalog/catalog.ts';
import { share } from './metrics.ts';
import type { Prepared } from './prepared.ts';

/**
 * Builds a catalog with a given number of tokens for each prompt. Measures how often the catalog contains a
 * relevant skill, and how many skills it lists.
 */
export function catalogRecall(
  { collection, ranker, vectors }: Prepared,
  maxTokens: number,
): { readonly recall: number; readonly shown: number } {
  const entries = collection.skills.map(({ id, description }) => ({
    name: id,
    description,
    location: `~/.agents/skills/${id}/SKILL.md`,
  }));
  let shown = 0;
  const recall = share(collection.queries, ({ query, relevant }) => {
    const { ranked } = ranker.rank(query, { limit: 150, vector: vectors.get(query) });
    const relevance = ranked.map(({ key }) => key);
    const catalog = applySkillsPromptLimits(entries, { maxTokens }, { request: query, relevance });
    shown += catalog.shown / collection.queries.length;
    const omitted = new Set(catalog.omitted);
    return relevant.some((id) => !omitted.has(id));
  });
  return { recall, shown };
}
