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
} from '../../core/index.ts';

/** Something that the model of a loop may call. */
export interface LoopTool {
  /** 1 to 64 ASCII letters, digits, hyphens and underscores. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: JsonObject;
  /** The word by which permission rules and hooks know it; its name unless said. */
  readonly label?: string;
  /** Its calls run beside no other of the same step. */
  readonly sequential?: ToolCondition;
  /** Its input is taken as the model wrote it: a result that stood in it might become a command. */
  readonly literal?: ToolCondition;
  /** Hooks do not hear of its calls. */
  readonly unhooked?: true;
  /**
   * Makes a call; the key tells it from all others of the frame. Failures are data, and what it throws is one too.
   * `stands` says by the key of an earlier call whether the model still has the whole text before it that was loaded.
   */
  call(input: Json, key: string, stands: (key: string) => boolean): Promise<ToolReply>;
}

/** Something that holds always, or for some inputs as the model wrote them. */
export type ToolCondition = true | ((input: Json) => boolean);

/** Whether a condition holds; not without one. */
export function holds(when: ToolCondition | undefined, input: Json): boolean {
  return typeof when === 'function' ? when(input) : when === true;
}

/** What a call came to, and what else the loop is to make of it. */
export type ToolReply = Output & {
  /** It is a text to work by: shown whole, and the newest under a name outlives summaries. */
  readonly loaded?: LoadedSkillText;
  /** What comes of it joins the conversation as a message, when it is there. */
  readonly later?: Later;
  /** It speaks of the call alone and is nothing to refer to. */
  readonly isNote?: true;
  /** Its words are those of somebody outside: the model reads them as data. */
  readonly fromOutside?: true;
};

/** A skill whose text was loaded. */
export interface LoadedSkillText {
  /** The one that reaches it. */
  readonly name: string;
  /** What its hooks want to hear of from now on. */
  readonly hooks: readonly HookMoment[];
}

/** Work that goes on while the model does something else. */
export interface Later {
  readonly name: string;
  readonly output: Promise<Output>;
}

const mostTools = 128; // no provider takes more

/** What is around skills that become tools. */
export interface AroundTools {
  /** All skills that their names must be told from; they themselves unless given. */
  readonly among?: readonly Skill[];
  /** Names of tools that are taken. */
  readonly taken?: readonly string[];
}

/** Skills as tools, in their order: each call is a call of the scope. */
export function skillTools(
  skills: readonly Skill[],
  scope: Scope,
  { among = skills, taken = [] }: AroundTools = {},
): readonly LoopTool[] {
  if (skills.length > mostTools) {
    throw new AgentError('usage.bad-input', `${skills.length} skills are too many tools for one loop.`, {
      hint: `Name at most ${mostTools} skills that "${scope.skill.name}" may call.`,
    });
  }
  const isTwice = ({ name }: Skill): boolean => skills.filter((other) => other.name === name).length > 1;
  const wanted = skills.map((skill) => (isTwice(skill) ? `${skill.name}-${skill.family}` : skill.name));
  const names = toolNames([...taken, ...wanted]).slice(taken.length);
  return skills.map((skill, index) => {
    const called = reachingName(skill, among, scope.skill);
    return toolFor(skill, called, names[index] ?? called, scope);
  });
}

function toolFor({ card }: Skill, called: string, name: string, scope: Scope): LoopTool {
  const { label, sequential, runsProcesses, fromOutside } = card;
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
      ...optional('fromOutside', fromOutside),
    }),
  };
}

/** The name by which a caller reaches exactly this skill among those that it may call: its own, or the one with its source. */
export function reachingName(skill: Skill, among: readonly Skill[], caller: Skill): string {
  const isTwice = among.some((other) => other !== skill && other.name === skill.name);
  return isTwice || !isNamedBy(caller, skill) ? qualifiedName(skill) : skill.name;
}

/** Whether an allow list has its bare name; one that has another of its names may mean to tell it from a namesake. */
function isNamedBy({ card }: Skill, { name }: Skill): boolean {
  return card.allowedSkills?.includes(name) ?? true;
}

/** What a tool throws as data: its own failure, not a defect of this package. */
export function failedOutput(thrown: unknown): Output {
  const error = toErrorData(isAgentError(thrown) ? thrown : new AgentError('skill.failed', reasonOf(thrown)));
  return { status: 'failed', text: error.message, error };
}
