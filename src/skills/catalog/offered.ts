import { qualifiedName } from '../../core/skill.ts';
import type { Skill, SkillCard } from '../../core/skill.ts';
import { SkillRecord } from '../record.ts';

/** Which skills a model is offered. */
export interface OfferOptions {
  /** Also the package's own tools, which models are otherwise offered as tools only. */
  readonly internals?: boolean | undefined;
}

/** A skill under the name by which a model calls it. */
export interface Offered<Kind extends Skill = Skill> {
  readonly name: string;
  readonly skill: Kind;
}

/** The skills that a model may choose: ready, listed and free to be chosen; where two share a name, by qualified names. */
export function offeredSkills<Kind extends Skill>(
  skills: readonly Kind[],
  { internals = false }: OfferOptions = {},
): readonly Offered<Kind>[] {
  const ready = skills.filter(({ status }) => status === 'ready');
  const shared = sharedNames(ready);
  const offered: Offered<Kind>[] = [];
  for (const skill of ready) {
    const { modelInvocable, listed } = cardOf(skill);
    if (modelInvocable === false || listed === false || (!internals && isInternal(skill))) continue;
    offered.push({ skill, name: shared.has(skill.name) ? qualifiedName(skill) : skill.name });
  }
  return offered;
}

/** Its card, read only here: freezing ten thousand to look at two fields each would take longer than all the rest. */
export function cardOf(skill: Skill): SkillCard {
  return skill instanceof SkillRecord ? skill.ownCard : skill.card;
}

function sharedNames(skills: readonly Skill[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(skills.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size));
}

/** Whether a skill comes with the package and is made in code: a tool. */
export function isInternal({ source, made }: Skill): boolean {
  return source === 'bundled' && made !== undefined;
}
