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

/** Returns a page of tools. Pure. */
export function listPage(tools: readonly ServedTool[], cursor: string | undefined): ListToolsResult {
  const { page, nextCursor } = pageOfNamed(tools, cursor);
  return {
    tools: page.map(({ name, description, input, output }) => ({
      name,
      description,
      inputSchema: input as Schema,
      ...(output === undefined ? {} : { outputSchema: output as Schema }),
    })),
    ...optional('nextCursor', nextCursor),
  };
}

/**
 * Returns a page of things that are sorted by name. The cursor is the last name on the previous page, so things
 * that are added or removed do not shift later pages. Pure.
 */
export function pageOfNamed<Named extends { readonly name: string }>(
  all: readonly Named[],
  cursor: string | undefined,
): { readonly page: readonly Named[]; readonly nextCursor?: string } {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  const left = after === undefined ? all : all.filter(({ name }) => name > after);
  const page = left.slice(0, pageSize);
  const last = page.at(-1);
  if (last === undefined || left.length === page.length) return { page };
  return { page, nextCursor: Buffer.from(last.name).toString('base64url') };
}

type Schema = ListToolsResult['tools'][number]['inputSchema'];

/** A skill as it is presented to clients. */
export interface ServedTool {
  /** A unique name of 1 to 64 ASCII letters, digits, hyphens and underscores. */
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
  /** The JSON Schema of the output. Absent unless the skill declares that its output is an object. */
  readonly output?: JsonObject;
  /** The name under which the registry finds the skill. */
  readonly skill: string;
  /** Converts the input of a tool call to the input of the skill. */
  given(input: Json): Json;
}

/** The tools that are currently served. */
export interface ServedTools {
  /** Returns the tools, sorted by name. */
  list(): readonly ServedTool[];
  find(name: string): ServedTool | undefined;
}

/**
 * Presents the current skills of an agent as tools. Throws if `choice` names a skill that cannot be served.
 */
export function createServedTools(agent: BareAgent, choice: SkillSelection): ServedTools {
  for (const name of choice.names ?? []) mustBeReady(agent.skills.resolve(name));
  let cached: { readonly of: readonly Skill[]; readonly byName: ReadonlyMap<string, ServedTool> } | undefined;
  const current = (): ReadonlyMap<string, ServedTool> => {
    const skills = agent.skills.list();
    if (cached?.of !== skills) cached = { of: skills, byName: buildTools(agent, choice) };
    return cached.byName;
  };
  return { list: () => [...current().values()], find: (name) => current().get(name) };
}

function mustBeReady({ name, card, status, missing = [] }: Skill): void {
  if (status !== 'ready')
    throw new AgentError('skill.unavailable', `The skill "${name}" cannot be served: it is ${status}.`, {
      hint: missing[0]?.hint ?? `Run \`skilled show ${name}\` to see why.`,
    });
  if (card.modelInvocable !== false) return;
  throw new AgentError('usage.bad-input', `The skill "${name}" cannot be served: models may not choose it.`, {
    hint: 'Leave the skill out, or remove disable-model-invocation from its file.',
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

/** The selection of skills to serve. */
export interface SkillSelection {
  /**
   * The names or aliases of the only skills to serve, which can include built-in skills. Defaults to all
   * offered skills.
   */
  readonly names?: readonly string[];
  /** Whether to serve built-in skills as well, such as `read` and `bash`. */
  readonly internals?: boolean;
  /** Whether the client may use a skill. Defaults to all. */
  readonly includes?: (skill: Skill) => boolean;
}

/**
 * Returns the selected skills in the current registry, each with the name by which the registry finds the
 * skill.
 */
export function chosenSkills(
  { skills }: BareAgent,
  { names, internals, includes = () => true }: SkillSelection,
): readonly Offered[] {
  const all = skills.list().filter(includes);
  if (names === undefined) return offeredSkills(all, { internals });
  const chosen = new Set(names.map((name) => skills.get(name)));
  return offeredSkills(all, { internals: true }).filter(({ skill }) => chosen.has(skill));
}
