import {
  AgentError,
  isAgentError,
  optional,
  qualifiedName,
  reasonOf,
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
} from '../../core/index.ts';

/** A tool that the model of a loop may call. */
export interface LoopTool {
  /** The tool's name: 1 to 64 ASCII letters, digits, hyphens and underscores. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the tool's input, which must be an object. */
  readonly input: JsonObject;
  /** The name that permission rules and hooks use. Default: the tool's name. */
  readonly label?: string;
  /** The condition under which the tool's calls never run concurrently with other calls of the same step. */
  readonly sequential?: ToolCondition;
  /**
   * The condition under which the input is used exactly as the model wrote it, without inserting results,
   * because an inserted result could become a command.
   */
  readonly literal?: ToolCondition;
  /** Set if hooks do not see the tool's calls. */
  readonly unhooked?: true;
  /**
   * Makes a call. `key` is unique in the frame. Failures and thrown errors are returned as data.
   * `isInContext` takes the key of an earlier call and returns whether the complete text that it loaded is
   * still in the conversation.
   */
  call(input: Json, key: string, isInContext: (key: string) => boolean): Promise<ToolReply>;
}

/** A condition that always holds, or that depends on the input as the model wrote it. */
export type ToolCondition = true | ((input: Json) => boolean);

/** Whether a condition holds. Returns false if there is no condition. */
export function holds(when: ToolCondition | undefined, input: Json): boolean {
  return typeof when === 'function' ? when(input) : when === true;
}

/** A call's output and instructions for how the loop handles it. */
export type ToolReply = Output & {
  /** Text for the model to follow. Shown in full; summaries keep the newest text for each name. */
  readonly loaded?: LoadedSkillText;
  /** Background work whose result is later added to the conversation as a message. */
  readonly later?: BackgroundCall;
  /** Set if the output is only a remark about the call and cannot be referenced. */
  readonly isNote?: true;
  /** Set if the text comes from outside. The model reads it as data. */
  readonly fromOutside?: true;
  /** Set if the text includes all data of the value. */
  readonly textIsComplete?: true;
};

/** A skill whose text was loaded. */
export interface LoadedSkillText {
  /** The name to call the skill by. */
  readonly name: string;
  /** The events for which the loop calls the skill's hooks. */
  readonly hooks: readonly HookMoment[];
}

/** Work that continues in the background while the model takes further steps. */
export interface BackgroundCall {
  readonly name: string;
  readonly output: Promise<Output>;
}

const maxTools = 128; // The maximum number of tools that providers accept.

/** Context for converting skills to tools. */
export interface AroundTools {
  /** All skills whose tool names must be distinct. Default: the given skills. */
  readonly among?: readonly Skill[];
  /** Tool names that are already taken. */
  readonly taken?: readonly string[];
}

/** Turns skills into tools, in order. Each tool call becomes a call of the scope. */
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

function toolFor({ card }: Skill, called: string, name: string, scope: Scope): LoopTool {
  const { label, sequential, runsProcesses } = card;
  const { schema, given } = toolInput(card);
  return {
    name,
    description: toolDescription(card),
    input: schema,
    ...optional('label', label),
    ...(sequential === true ? { sequential } : {}),
    ...(runsProcesses === true ? { literal: true } : {}),
    call: async (input, key) => ({
      ...(await scope.call(called, given(input), { key })),
      ...resultTraits(card),
    }),
  };
}

/** Returns the traits that determine how a skill's results are shown to the model. */
export function resultTraits({
  fromOutside,
  textIsComplete,
}: SkillCard): Pick<ToolReply, 'fromOutside' | 'textIsComplete'> {
  return { ...optional('fromOutside', fromOutside), ...optional('textIsComplete', textIsComplete) };
}

/**
 * Returns the name that identifies this skill unambiguously for the caller: its own name, or its name
 * qualified with its source.
 */
export function reachingName(skill: Skill, among: readonly Skill[], caller: Skill): string {
  const isTwice = among.some((other) => other !== skill && other.name === skill.name);
  return isTwice || !isNamedBy(caller, skill) ? qualifiedName(skill) : skill.name;
}

/**
 * Whether an allow list contains the skill's unqualified name. A list can also use a different name to
 * distinguish the skill from another one with the same unqualified name.
 */
function isNamedBy({ card }: Skill, { name }: Skill): boolean {
  return card.allowedSkills?.includes(name) ?? true;
}

/**
 * Converts an error that a tool threw to data. The error counts as the tool's failure, not as a bug in this
 * package.
 */
export function failedOutput(thrown: unknown): Output {
  const error = toErrorData(isAgentError(thrown) ? thrown : new AgentError('skill.failed', reasonOf(thrown)));
  return { status: 'failed', text: error.message, error };
}
