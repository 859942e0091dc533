import { fitSchema } from '../core/fit-schema.ts';
import type { Json } from '../core/json.ts';
import type { Target } from './resolve.ts';

/** The input as the skill takes it, with defaults filled in; throws `usage.bad-input` that names every fault. */
export function accept({ skill, family, definition }: Target, input: Json): Json {
  if (family.accept !== undefined) return family.accept(definition, input) as Json;
  const schema = skill.card.input;
  return schema === undefined ? input : fitSchema(`the input of "${skill.name}"`, schema, input);
}
