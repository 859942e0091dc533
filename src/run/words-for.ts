import type { Family } from '../core/family.ts';
import { isJsonObject, parseJson, type Json } from '../core/json.ts';
import { readPrompt } from '../core/read-prompt.ts';
import type { RunRequest } from '../core/run.ts';
import type { Skill } from '../core/skill.ts';
import { propertyOf, takesObject, wordArgument } from '../core/word-argument.ts';
import type { Registry } from '../skills/registry.ts';

/** Whether a prompt as a whole can be the input of a skill: it says nothing of its input, or says where words go. */
export function takesWords({ families }: Registry, { card, family }: Skill): boolean {
  if (takesObject(card.input) !== true) return true;
  return propertyOf(card.input, defaultArgumentOf(families, family)) !== undefined;
}

/** What a skill is given when it is asked in words: where it takes named parts, the object that they are in JSON, else the words under the default argument of its family. No words are an empty object there, and null elsewhere. */
export function wordsFor({ families }: Registry, { card, family }: Skill, words: string): Json {
  const { render, readsWords, defaultArgument } = families.find(({ id }) => id === family) ?? {};
  if (render !== undefined || readsWords === true) return words; // its family reads words itself
  const isNamed = takesObject(card.input) ?? defaultArgument !== undefined;
  if (words === '') return takesObject(card.input) === true ? {} : null;
  const object = isNamed && words.startsWith('{') ? parseJson(words) : undefined;
  if (isJsonObject(object)) return object;
  const key = isNamed ? wordArgument(card.input, defaultArgument) : undefined;
  return key === undefined ? words : { [key]: words };
}

/** What a request gives to the skill that it names: its input, with the prompt in it, but for the name of the skill, where the skill takes that and nothing stands there. */
export function inputFor(registry: Registry, { skill, prompt = '', input }: RunRequest): Json {
  const found = skill === undefined ? undefined : registry.lookup.find(skill);
  if (found === undefined) return input ?? (prompt === '' ? null : prompt);
  if (input !== undefined) {
    const { name = '', words } = readPrompt(prompt);
    return withWords(registry, found, input, registry.lookup.find(name) === found ? words : prompt);
  }
  return prompt === '' ? null : wordsFor(registry, found, prompt);
}

function withWords({ families }: Registry, { card, family }: Skill, given: Json, words: string): Json {
  if (!isJsonObject(given) || words === '') return given;
  const key = defaultArgumentOf(families, family);
  if (Object.hasOwn(given, key)) return given;
  const takesIt = card.input === undefined || propertyOf(card.input, key) !== undefined;
  return takesIt ? { ...given, [key]: words } : given;
}

function defaultArgumentOf(families: readonly Family[], id: string): string {
  return families.find((family) => family.id === id)?.defaultArgument ?? 'input';
}
