import { fitSchema } from '../core/fit-schema.ts';
import type { Json } from '../core/json.ts';
import type { Target } from './target.ts';

/** The input as the skill takes it, with defaults filled in; throws `usage.bad-input` that names every fault. */
export function accept(target: Pick<Target, 'skill' | 'family' | 'definition'>, input: Json): Json {
  const { skill, family, definition } = target;
  if (family.accept !== undefined) return family.accept(definition, input) as Json;
  const schema = skill.card.input;
  return schema === undefined ? input : fitSchema({ skill: skill.name }, schema, input);
}
