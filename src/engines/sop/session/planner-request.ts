import type { Message } from '../../../core/model.ts';
import type { Scope } from '../../../core/scope.ts';
import type { Skill } from '../../../core/skill.ts';
import { describeCommands } from './describe-commands.ts';
import { plannerSystem } from './planner-system.ts';
import { commandName, signatureOf, type Signature } from './skill-commands.ts';
import type { SopMemory, SopRequest } from './sop-session.ts';

const mostShown = 64; // skills that a planner reads about

/** What a planner is told: the language, its instructions, the commands that it may use. */
export async function systemFor(
  scope: Scope,
  request: SopRequest,
  skills: readonly Skill[],
): Promise<string> {
  const { instructions = '' } = request;
  const shown = await chosen(scope, request, skills);
  const described = (skill: Skill): Signature => ({ ...signatureOf(skill), name: commandName(skill, scope) });
  const rest = skills.length - shown.length;
  const more = rest === 0 ? '' : `\nThere are ${rest} more, which fit the request less.`;
  const commands = shown.length === 0 ? '(none)' : describeCommands(shown.map(described)) + more;
  return [plannerSystem, instructions.trim(), `Commands:\n${commands}`]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** All of them where there is room, else those that a catalog for the request shows. */
async function chosen(
  scope: Scope,
  request: SopRequest,
  skills: readonly Skill[],
): Promise<readonly Skill[]> {
  if (skills.length <= mostShown) return skills;
  if (request.skills !== undefined) return skills.slice(0, mostShown);
  const { omitted } = await scope.catalog({ request: request.prompt ?? '', maxSkills: mostShown });
  const left = new Set(omitted);
  return skills.filter(({ name }) => !left.has(name)).slice(0, mostShown);
}

/** The conversation with a planner: earlier prompts with their plans, then what is asked for now. */
export function conversationFor({ prompt = '', input, previous }: SopRequest): readonly Message[] {
  const asked = input === undefined ? prompt : `${prompt}\n\nThe value $input is supplied.`;
  return [...turnsOf(previous), { role: 'user', text: previous === undefined ? asked : extending(asked) }];
}

function turnsOf({ turns }: SopMemory = { turns: [], state: { records: [] } }): readonly Message[] {
  return turns.flatMap(({ prompt, plan }): readonly Message[] => [
    { role: 'user', text: prompt },
    { role: 'assistant', text: plan },
  ]);
}

function extending(asked: string): string {
  return `${asked}\n\nWrite the whole extended plan. Lines that you keep exactly as they are keep their results and do not run again.`;
}
