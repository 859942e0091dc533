import {
  normaliseName,
  optional,
  qualifiedName,
  type JsonObject,
  type Output,
  type Scope,
  type Skill,
} from '../../../core/index.ts';
import { reachingName } from '../../loop/tools.ts';
import {
  cancelStep,
  failStep,
  isBasicCommand,
  type CommandCall,
  type CommandIndex,
  type SopCommand,
  type SopResult,
} from '../index.ts';

/** A command without its `run` function. */
export type Signature = Omit<SopCommand, 'run'>;

/** Describes a skill as a command for plans. */
export function signatureOf({ name, card }: Skill): Signature {
  const { description, argumentNames, runsProcesses, sequential } = card;
  return {
    name,
    description,
    ...optional('input', card.input ?? schemaOf(argumentNames)),
    ...optional('argumentNames', argumentNames),
    ...(runsProcesses === true ? { isLiteral: true } : {}),
    ...(sequential === true ? { isSequential: true } : {}),
  };
}

/** Returns a schema with parameters of these names. The parameters accept any value. */
function schemaOf(names: readonly string[] = []): JsonObject | undefined {
  if (names.length === 0) return undefined;
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

/** Options for calls to skills in a plan. */
export interface CallStyle {
  /** The prefix of the calls' keys. The prefix distinguishes the plans in a frame. */
  readonly prefix?: string;
  /** Set if the plan comes from a file, rather than from a model. */
  readonly asWritten?: true;
}

/**
 * Makes skills available as commands under all their names. Each execution calls the skill through the scope.
 */
export function skillCommands(scope: Scope, skills: readonly Skill[], style: CallStyle = {}): CommandIndex {
  const among = new Set(skills);
  const byName = new Map(skills.toReversed().map((skill) => [skill.name, skill]));
  const find = (name: string): Skill | undefined => {
    const skill = scope.skills.lookUp(name);
    if (skill !== undefined && among.has(skill)) return skill;
    // A qualified name or an alias can refer to another skill.
    const isOther = skill !== undefined && skill.name !== normaliseName(name);
    return isOther ? undefined : byName.get(normaliseName(name));
  };
  return {
    find: (name) =>
      commandOver(scope, name, find(name), (skill) => reachingName(skill, skills, scope.skill), style),
    names: () => skills.map((skill) => commandName(skill, scope)),
  };
}

/**
 * Makes all skills available as commands, under the names that the plan uses. Intended for plans that a user
 * wrote.
 */
export function anySkillCommand(scope: Scope, style: CallStyle = {}): CommandIndex {
  return {
    find: (name) => commandOver(scope, name, scope.skills.lookUp(name), () => name, style),
    names: () => scope.skills.callable.map((skill) => commandName(skill, scope)),
  };
}

function commandOver(
  scope: Scope,
  name: string,
  skill: Skill | undefined,
  nameOf: (skill: Skill) => string,
  { prefix = '', asWritten }: CallStyle,
): SopCommand | undefined {
  if (skill === undefined || isBasicCommand(name)) return undefined;
  return {
    ...signatureOf(skill),
    name: commandName(skill, scope),
    run: async ({ input, key, signal, waits }: CommandCall) =>
      resultOf(
        await scope.call(nameOf(skill), input, {
          key: `${prefix}${key}`,
          signal,
          onWait: waits,
          ...optional('asWritten', asWritten),
        }),
      ),
  };
}

/**
 * Returns the name of a skill in plans. This is its own name, or a qualified name if its own name refers to a
 * basic command or to another skill.
 */
export function commandName(
  skill: Skill,
  scope: { readonly skills: Pick<Scope['skills'], 'lookUp'> },
): string {
  const isItsOwn = !isBasicCommand(skill.name) && (scope.skills.lookUp(skill.name) ?? skill) === skill;
  return isItsOwn ? skill.name : qualifiedName(skill);
}

/**
 * Converts the output of a call to the result of a step: its value, or else its text. If the skill was
 * cancelled, so is the step.
 */
function resultOf(output: Output): SopResult {
  if (output.status === 'done') return output.value === undefined ? output.text : output.value;
  if (output.error.code === 'usage.cancelled') return cancelStep(output.text);
  return failStep(output.error);
}
