import { AgentError } from '../../core/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Output } from '../../core/output.ts';
import type { Scope } from '../../core/scope.ts';
import type { Skill } from '../../core/skill.ts';
import { toolNames } from './tool-names.ts';

/** Something that the model of a loop may call. */
export interface LoopTool {
  /** 1 to 64 ASCII letters, digits, hyphens and underscores. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: JsonObject;
  /** Its calls run beside no other of the same step. */
  readonly sequential?: true;
  /** Its input is taken as the model wrote it: a result that stood in it might become a command. */
  readonly literal?: true;
  /** Its results stay whole when the conversation is summarised. */
  readonly keeps?: true;
  /** Makes a call; the key tells it from all others of the frame. Failures are data, and what it throws is one too. */
  call(input: Json, key: string): Promise<Output>;
}

const mostTools = 128; // no provider takes more

/** Skills as tools: each call is a call of the scope. */
export function skillTools(skills: readonly Skill[], scope: Scope): readonly LoopTool[] {
  if (skills.length > mostTools) {
    throw new AgentError('usage.bad-input', `${skills.length} skills are too many tools for one loop.`, {
      hint: `Name at most ${mostTools} skills that "${scope.skill.name}" may call.`,
    });
  }
  const isTwice = ({ name }: Skill): boolean => skills.filter((other) => other.name === name).length > 1;
  const names = toolNames(
    skills.map((skill) => (isTwice(skill) ? `${skill.name}-${skill.family}` : skill.name)),
  );
  return skills.map((skill, index) => {
    const called = isTwice(skill) || !isNamedBy(scope.skill, skill) ? qualifiedName(skill) : skill.name;
    return toolFor(skill, called, names[index] ?? called, scope);
  });
}

/** Whether an allow list has its bare name; one that has another of its names may mean to tell it from a namesake. */
function isNamedBy({ card }: Skill, { name }: Skill): boolean {
  return card.allowedSkills?.includes(name) ?? true;
}

/** The name with its source, which leads to this skill and no other. */
function qualifiedName({ name, aliases, source }: Skill): string {
  return aliases.findLast((alias) => alias.startsWith(`${source}:`)) ?? name;
}

function toolFor({ card }: Skill, called: string, name: string, scope: Scope): LoopTool {
  const { description, whenToUse, sequential, runsProcesses } = card;
  const isObject = card.input?.['type'] === 'object';
  const input = card.input !== undefined && isObject ? card.input : wrapped(card.input);
  return {
    name,
    description: whenToUse === undefined ? description : `${description}\n${whenToUse}`,
    input,
    ...(sequential === true ? { sequential } : {}),
    ...(runsProcesses === true ? { literal: true } : {}),
    call: (given, key) => scope.call(called, isObject ? given : unwrapped(given), { key }),
  };
}

/** Tools take objects; what a skill takes that is none is the member `input` of one. */
function wrapped(schema: JsonObject | undefined): JsonObject {
  const input = schema ?? {
    type: 'string',
    description: 'What the skill is to do, in words, or its arguments.',
  };
  return { type: 'object', properties: { input }, required: ['input'], additionalProperties: false };
}

function unwrapped(given: Json): Json {
  return isJsonObject(given) && Object.hasOwn(given, 'input') ? (given['input'] ?? null) : given;
}
