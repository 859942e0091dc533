import {
  AgentError,
  isAgentError,
  optional,
  qualifiedName,
  reasonOf,
  renamedInput,
  toErrorData,
  toolDescription,
  toolInput,
  toolNames,
  type HookMoment,
  type Json,
  type JsonObject,
  type Output,
  type Scope,
  type Skill,
  type SkillCard,
  type SharedHooks,
} from '../../core/index.ts';

/** A tool that the model of a loop may call. */
export interface LoopTool {
  /** The tool's name: 1 to 64 ASCII letters, digits, hyphens and underscores. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the tool's input, which must be an object. */
  readonly input: JsonObject;
  /** The tool's name in permission rules and hooks. Default: the tool's name. */
  readonly label?: string;
  /**
   * The condition under which a call of the tool must not run concurrently with other calls of the same step.
   */
  readonly sequential?: ToolCondition;
  /**
   * The condition under which results must not be inserted into the input, because an inserted result could
   * become a command.
   */
  readonly literal?: ToolCondition;
  /**
   * Renames the input's arguments to the names in the tool's schema, which hooks and permission rules use.
   */
  rename?(input: Json): Json;
  /** Set if hooks are not called for this tool. */
  readonly unhooked?: true;
  /**
   * Makes a call. `key` is unique within the frame. If the method throws, the call's output is a failure.
   * `isInContext` returns whether the conversation still contains the complete text that the call with the
   * given key loaded.
   */
  call(input: Json, key: string, isInContext: (key: string) => boolean): Promise<ToolReply>;
}

/** A condition that is always true, or that depends on the input as the model wrote it. */
export type ToolCondition = true | ((input: Json) => boolean);

/** Whether a condition is true for an input. Returns false if there is no condition. */
export function holds(when: ToolCondition | undefined, input: Json): boolean {
  return typeof when === 'function' ? when(input) : when === true;
}

/** A call's output, and properties that tell the loop how to handle it. */
export type ToolReply = Output & {
  /**
   * Set if the output is the text of a skill, which the model should follow. The text is never truncated, and
   * summaries keep the newest text of each name.
   */
  readonly loaded?: LoadedSkillText;
  /** Work that continues in the background. Its result is added to the conversation later. */
  readonly later?: BackgroundCall;
  /** Set if the output is only a remark about the call, which cannot be referenced. */
  readonly isNote?: true;
  /** Set if the text comes from an untrusted source. The model is instructed to treat it as data. */
  readonly fromOutside?: true;
  /** Set if the text contains everything in the value. */
  readonly textIsComplete?: true;
};

/** A skill whose text was loaded. */
export interface LoadedSkillText {
  /** The name under which the skill can be called. */
  readonly name: string;
  /** The events for which the skill has hooks. */
  readonly hooks: readonly HookMoment[];
  readonly sharedHooks?: SharedHooks;
}

/** Work that continues in the background while the model takes further steps. */
export interface BackgroundCall {
  readonly name: string;
  readonly output: Promise<Output>;
}

const maxTools = 128; // The maximum number of tools that providers accept.

/** Options for converting skills to tools. */
export interface AroundTools {
  /**
   * The skills from which each tool's skill must be distinguishable by name. Default: the skills to convert.
   */
  readonly among?: readonly Skill[];
  /** Tool names that are already taken. */
  readonly taken?: readonly string[];
}

/** Converts skills to tools, in the same order. A call of a tool calls its skill through the scope. */
export function skillTools(
  skills: readonly Skill[],
  scope: Scope,
  { among = skills, taken = [] }: AroundTools = {},
): readonly LoopTool[] {
  if (skills.length > maxTools) {
    throw new AgentError('usage.bad-input', `A loop cannot offer ${skills.length} skills as tools.`, {
      hint: `Limit the allowed skills of "${scope.skill.name}" to at most ${maxTools}.`,
    });
  }
  const isTwice = ({ name }: Skill): boolean => skills.filter((other) => other.name === name).length > 1;
  const preferred = skills.map((skill) => (isTwice(skill) ? `${skill.name}-${skill.family}` : skill.name));
  const names = toolNames([...taken, ...preferred]).slice(taken.length);
  return skills.map((skill, index) => {
    const called = reachingName(skill, among, scope.skill);
    return toolFor(skill, called, names[index] ?? called, scope);
  });
}

function toolFor(skill: Skill, called: string, name: string, scope: Scope): LoopTool {
  const { card } = skill;
  const { label, sequential, runsProcesses } = card;
  const { schema, given } = toolInput(card);
  return {
    name,
    description: toolDescription(card),
    input: schema,
    ...optional('label', label),
    ...(sequential === true ? { sequential } : {}),
    ...(runsProcesses === true ? { literal: true } : {}),
    rename: (input) => renamedInput(skill, input),
    call: async (input, key) => ({
      ...(await scope.call(called, given(input), { key })),
      ...resultTraits(card),
    }),
  };
}

/** Returns the properties of a skill that determine how a model sees its results. */
export function resultTraits({
  fromOutside,
  textIsComplete,
}: SkillCard): Pick<ToolReply, 'fromOutside' | 'textIsComplete'> {
  return { ...optional('fromOutside', fromOutside), ...optional('textIsComplete', textIsComplete) };
}

/**
 * Returns a name that identifies a skill for this caller: its own name, or the name qualified with its
 * source.
 */
export function reachingName(skill: Skill, among: readonly Skill[], caller: Skill): string {
  const isTwice = among.some((other) => other !== skill && other.name === skill.name);
  return isTwice || !isNamedBy(caller, skill) ? qualifiedName(skill) : skill.name;
}

/**
 * Whether a caller may use the unqualified name of a skill. A caller with a list of allowed skills may do so
 * only if the list contains that name, because the list can use another name for a skill with the same
 * unqualified name.
 */
function isNamedBy({ card }: Skill, { name }: Skill): boolean {
  return card.allowedSkills?.includes(name) ?? true;
}

/**
 * Converts an error that a tool threw to a failed output. The error is reported as a failure of the tool, not
 * as a bug in this package.
 */
export function failedOutput(thrown: unknown): Output {
  const error = toErrorData(isAgentError(thrown) ? thrown : new AgentError('skill.failed', reasonOf(thrown)));
  return { status: 'failed', text: error.message, error };
}
