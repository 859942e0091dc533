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

/** All that a plan has to know of a command before it runs. */
export type Signature = Omit<SopCommand, 'run'>;

/** A skill as the command of a plan. */
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

/** Arguments that are declared by name alone take anything. */
function schemaOf(names: readonly string[] = []): JsonObject | undefined {
  if (names.length === 0) return undefined;
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

/** How the calls of a plan are made. */
export interface CallStyle {
  /** What their keys begin with: tells the plans of one frame apart. */
  readonly prefix?: string;
  /** A file wrote the plan, and no model. */
  readonly asWritten?: true;
}

/** These skills as commands, by any of their names: each execution is a call of the scope. */
export function skillCommands(scope: Scope, skills: readonly Skill[], style: CallStyle = {}): CommandIndex {
  const among = new Set(skills);
  const byName = new Map(skills.toReversed().map((skill) => [skill.name, skill]));
  const find = (name: string): Skill | undefined => {
    const skill = scope.skills.lookUp(name);
    if (skill !== undefined && among.has(skill)) return skill;
    const isOther = skill !== undefined && skill.name !== normaliseName(name); // it was told from its namesakes
    return isOther ? undefined : byName.get(normaliseName(name));
  };
  return {
    find: (name) =>
      commandOver(scope, name, find(name), (skill) => reachingName(skill, skills, scope.skill), style),
    names: () => skills.map((skill) => commandName(skill, scope)),
  };
}

/** Every skill that there is as a command, by the name that a plan gives it: for plans that people write. */
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

/** The name by which plans know a skill, and it alone: its own, unless that means a command of every plan or a namesake. */
export function commandName(
  skill: Skill,
  scope: { readonly skills: Pick<Scope['skills'], 'lookUp'> },
): string {
  const isItsOwn = !isBasicCommand(skill.name) && (scope.skills.lookUp(skill.name) ?? skill) === skill;
  return isItsOwn ? skill.name : qualifiedName(skill);
}

/** What a call came to, for the plan: its value, or else its text. A skill that calls itself off is a guard. */
function resultOf(output: Output): SopResult {
  if (output.status === 'done') return output.value === undefined ? output.text : output.value;
  if (output.error.code === 'usage.cancelled') return cancelStep(output.text);
  return failStep(output.error);
}
