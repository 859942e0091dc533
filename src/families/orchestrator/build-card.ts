import { optional } from '../../core/collections.ts';
import type { SkillCard } from '../../core/skill.ts';

/** What an orchestrator adds to the card of its file. */
export interface OnCard {
  readonly allowed: readonly string[] | undefined;
  /** The list of its preparation, where there is one. */
  readonly prepares: readonly string[] | undefined;
  readonly intents: readonly string[] | undefined;
}

/** The card: what any of its stages may call can be called, and what it is meant for is searched and shown. */
export function buildCard(card: SkillCard, { allowed, prepares = [], intents = [] }: OnCard): SkillCard {
  const whenToUse = [card.whenToUse, meantFor(intents)].filter((part) => part !== undefined).join(' ');
  return {
    ...card,
    ...optional('whenToUse', whenToUse === '' ? undefined : whenToUse),
    ...(intents.length === 0 ? {} : { examples: intents }),
    ...optional('allowedSkills', allowed && [...new Set([...allowed, ...prepares])]),
  };
}

const longest = 1_000; // characters

/** Intents as one sentence, as many as there is room for. */
function meantFor(intents: readonly string[]): string | undefined {
  let said = '';
  for (const intent of intents) {
    const next = said === '' ? `As in: ${intent}` : `${said}; ${intent}`;
    if (next.length > longest) break;
    said = next;
  }
  return said === '' ? undefined : said;
}
