import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import { familyOf, isJsonObject, optional, toolNames, type Json, type Skill } from '../../core/index.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import type { ServeContext } from './context.ts';
import { pageOfNamed } from './tools.ts';

type Prompt = ListPromptsResult['prompts'][number];

/** The name of the only argument of a skill that does not describe its input. */
const wholeInput = 'arguments';

/** Returns a page of the skills that users may start, as prompts. */
export function listPrompts(serving: ServeContext, cursor: string | undefined): ListPromptsResult {
  const all = [...promptSkills(serving)].map(([name, skill]) => promptFor(name, skill));
  const { page, nextCursor } = pageOfNamed(all, cursor);
  return { prompts: [...page], ...optional('nextCursor', nextCursor) };
}

/**
 * Returns the text of a skill with its arguments, or undefined if no skill has this name. A skill without text
 * becomes the request to call its tool. No command in a text is executed.
 */
export function getPrompt(
  serving: ServeContext,
  name: string,
  args: Readonly<Record<string, string>>,
): GetPromptResult | undefined {
  const { agent } = serving;
  const skill = promptSkills(serving).get(name);
  if (skill === undefined) return undefined;
  const input = inputFrom(skill, args);
  const hasText = familyOf(agent.families, skill)?.text?.render !== undefined;
  const text = hasText
    ? agent.render(skill.name, { args: input, session: noSession }).text
    : `Use the tool "${name}"${input === null ? '' : ` with this input: ${JSON.stringify(input)}`}.`;
  return {
    description: skill.card.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

/** A session that no run uses, so that a text shows nothing of a conversation. */
const noSession = 'mcp-prompt';

/** Returns the skills that users may start, by the names of their prompts. */
function promptSkills({ agent, options }: ServeContext): ReadonlyMap<string, Skill> {
  const { names, internals = false, includes = () => true } = options;
  const chosen = names && new Set(names.map((name) => agent.skills.get(name)));
  const isOffered = (skill: Skill): boolean => {
    if (skill.status !== 'ready' || skill.card.userInvocable === false || !includes(skill)) return false;
    return chosen === undefined ? internals || !isInternal(skill) : chosen.has(skill);
  };
  const skills = agent.skills.list().filter(isOffered);
  const unique = toolNames(skills.map(({ name }) => name));
  const named = skills.map((skill, index): [string, Skill] => [unique[index] ?? skill.name, skill]);
  return new Map(named.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function promptFor(name: string, { card }: Skill): Prompt {
  const { description, input, argumentHint } = card;
  const whole = { name: wholeInput, ...optional('description', argumentHint) };
  return { name, description, arguments: input === undefined ? [whole] : [...argumentsOf(input, whole)] };
}

/** Returns the members of an input that is an object, as arguments. */
function argumentsOf(
  { type, properties, required }: Readonly<Record<string, Json | undefined>>,
  whole: NonNullable<Prompt['arguments']>[number],
): NonNullable<Prompt['arguments']> {
  if (type !== 'object' || !isJsonObject(properties)) return [whole];
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, schema]) => {
    const { description } = isJsonObject(schema) ? schema : {};
    const known = typeof description === 'string' ? description : undefined;
    return { name, required: needed.includes(name), ...optional('description', known) };
  });
}

/** Converts the arguments of a prompt, which are always text, to the input of a skill. */
function inputFrom({ card }: Skill, args: Readonly<Record<string, string>>): Json {
  const { type, properties } = card.input ?? {};
  if (type !== 'object' || !isJsonObject(properties)) return args[wholeInput] ?? null;
  const members = Object.entries(args).map(([name, text]): [string, Json] => {
    const schema = properties[name];
    return [name, isJsonObject(schema) && schema['type'] !== 'string' ? parsed(text) : text];
  });
  return members.length === 0 ? null : Object.fromEntries(members);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text; // The check of the input explains what it must be.
  }
}
