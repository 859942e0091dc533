import type { ListToolsResult } from '@modelcontextprotocol/server';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import {
  AgentError,
  optional,
  toolDescription,
  toolInput,
  toolNames,
  type Json,
  type JsonObject,
  type Skill,
} from '../../core/index.ts';
import { offeredSkills, type Offered } from '../../skills/catalog/entries.ts';

const pageSize = 200;

/**
 * One page of the tools, which are in the order of their names. A cursor is the last name of the page before, so that a
 * tool that comes or goes meanwhile leaves no other out. Pure.
 */
export function listPage(tools: readonly ServedTool[], cursor: string | undefined): ListToolsResult {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  const left = after === undefined ? tools : tools.filter(({ name }) => name > after);
  const page = left.slice(0, pageSize);
  const last = page.at(-1);
  return {
    tools: page.map(({ name, description, input, output }) => ({
      name,
      description,
      inputSchema: input as Schema,
      ...(output === undefined ? {} : { outputSchema: output as Schema }),
    })),
    ...(last === undefined || left.length === page.length
      ? {}
      : { nextCursor: Buffer.from(last.name).toString('base64url') }),
  };
}

type Schema = ListToolsResult['tools'][number]['inputSchema'];

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
export function createServedTools(agent: BareAgent, choice: SkillSelection): ServedTools {
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

function buildTools(agent: BareAgent, choice: SkillSelection): ReadonlyMap<string, ServedTool> {
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
    name,
    description: toolDescription(card),
    input: schema,
    given,
    skill: called,
    ...optional('output', output),
  };
}

/** Which skills are served. */
export interface SkillSelection {
  /** Only these, by any of their names; also the package's own. */
  readonly names?: readonly string[];
  /** Also the package's own, as `read` and `bash`. */
  readonly internals?: boolean;
}

/** The skills that are served, as the registry is now, each with the name that leads to it. */
export function chosenSkills(
  { skills }: BareAgent,
  { names, internals }: SkillSelection,
): readonly Offered[] {
  const all = skills.list();
  if (names === undefined) return offeredSkills(all, { internals });
  const wanted = new Set(names.map((name) => skills.get(name)));
  return offeredSkills(all, { internals: true }).filter(({ skill }) => wanted.has(skill));
}
