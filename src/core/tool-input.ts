import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { SkillCard } from './skill.ts';

/** What a skill is given when it is called as a tool. */
export interface ToolInput {
  /** JSON Schema of an object. */
  readonly schema: JsonObject;
  /** The input of the skill in what the tool was called with. */
  given(input: Json): Json;
}

/** Tools take objects; what a skill takes that is none is the member `input` of one. */
export function toolInput({ input }: SkillCard): ToolInput {
  if (input?.['type'] === 'object') return { schema: input, given: (given) => given };
  return { schema: wrapped(input), given: unwrapped };
}

/** What a skill is for and when to use it, for whoever chooses between tools. */
export function toolDescription({ description, whenToUse }: SkillCard): string {
  return whenToUse === undefined ? description : `${description}\n${whenToUse}`;
}

function wrapped(schema: JsonObject | undefined): JsonObject {
  const input = schema ?? {
    type: 'string',
    description: 'What the skill is to do, in words, or its arguments.',
  };
  return { type: 'object', properties: { input }, required: ['input'], additionalProperties: false };
}

function unwrapped(given: Json): Json {
  return isJsonObject(given) && Object.hasOwn(given, 'input') ? (given['input'] ?? null) : given;
}
