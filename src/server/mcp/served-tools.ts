import type { RecursiveSkilledAgent } from '../../agent/recursive-skilled-agent.ts';
import { optional } from '../../core/collections.ts';
import { AgentError } from '../../core/error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { toolDescription, toolInput, toolNames } from '../../core/model/tool-names.ts';
import type { Skill } from '../../core/skill.ts';
import type { Offered } from '../../skills/catalog/entries.ts';
import { chosenSkills, type Choice } from './chosen-skills.ts';

/** A skill as clients see it. */
export interface ServedTool {
  /** 1 to 64 ASCII letters, digits, hyphens and underscores; no other tool has it. */
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
  /** JSON Schema of an object, where its values are described. */
  readonly output?: JsonObject;
  /** The name that leads to the skill. */
  readonly skill: string;
  /** What the skill is given of what the tool is called with. */
  given(input: Json): Json;
}

/** The tools that are served at this moment. */
export interface ServedTools {
  /** In the order of their names. */
  list(): readonly ServedTool[];
  find(name: string): ServedTool | undefined;
}

/** The skills of an agent as tools, as they are whenever somebody looks; throws for a name that is none. */
export function createServedTools(agent: RecursiveSkilledAgent, choice: Choice): ServedTools {
  for (const name of choice.names ?? []) mustBeReady(agent.skills.resolve(name));
  let made: { readonly of: readonly Skill[]; readonly byName: ReadonlyMap<string, ServedTool> } | undefined;
  const current = (): ReadonlyMap<string, ServedTool> => {
    const skills = agent.skills.list();
    if (made?.of !== skills) made = { of: skills, byName: buildTools(agent, choice) };
    return made.byName;
  };
  return { list: () => [...current().values()], find: (name) => current().get(name) };
}

function mustBeReady({ name, card, status, missing = [] }: Skill): void {
  if (status !== 'ready')
    throw new AgentError('skill.unavailable', `The skill "${name}" cannot be served: it is ${status}.`, {
      hint: missing[0]?.hint ?? `\`skilled show ${name}\` shows why.`,
    });
  if (card.modelInvocable !== false) return;
  throw new AgentError('usage.bad-input', `No model may choose the skill "${name}" by itself.`, {
    hint: 'Leave it out, or take disable-model-invocation out of its file.',
  });
}

function buildTools(agent: RecursiveSkilledAgent, choice: Choice): ReadonlyMap<string, ServedTool> {
  const isNamed = choice.names !== undefined;
  const offered = chosenSkills(agent, choice).filter(({ skill }) => isNamed || isForPeople(skill));
  const names = toolNames(offered.map(({ name }) => name));
  const tools = offered.map((one, index) => toolFor(one, names[index] ?? one.name));
  tools.sort((one, other) => (one.name < other.name ? -1 : 1));
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function isForPeople({ card }: Skill): boolean {
  return card.userInvocable !== false;
}

function toolFor({ name: called, skill }: Offered, name: string): ServedTool {
  const { card } = skill;
  const { schema, given } = toolInput(card);
  const output = card.output?.['type'] === 'object' ? card.output : undefined;
  return {
    ...{ name, description: toolDescription(card), input: schema, given, skill: called },
    ...optional('output', output),
  };
}
