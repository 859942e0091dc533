import {
  AgentError,
  didYouMean,
  fitSchema,
  hashOf,
  isJsonObject,
  normaliseName,
  optional,
  reasonOf,
  type HookMoment,
  type Json,
  type JsonObject,
  type Scope,
  type Skill,
} from '../../core/index.ts';
import type { LoopTool, ToolReply } from './tools.ts';

/** A skill that is reached through the tool, and the name that leads to it. */
export interface ReachedSkill {
  readonly skill: Skill;
  readonly called: string;
}

/** What the tool offers. */
interface SkillToolOffer {
  readonly description: string;
  readonly reached: readonly ReachedSkill[];
  /** The names of the other tools, for a model that mixes them up. */
  readonly others: readonly string[];
}

/** The name of the tool; a skill of that name gets another one. */
export const skillToolName = 'skill';

const input: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'The name of the skill.' },
    args: {
      anyOf: [{ type: 'string' }, { type: 'object' }],
      description: 'Its arguments, if it takes any: a text, or an object by their names.',
    },
  },
  required: ['name'],
  additionalProperties: false,
};

/**
 * One tool for many skills, made anew when its offer changes. A skill that can be loaded is, once for as long as its
 * text stands; one that forks works on its own, awaited or in the background; any other is called.
 */
export function createSkillTool(scope: Scope): (offer: SkillToolOffer) => LoopTool {
  const loads = new Map<string, string>();

  const load = async (
    { called }: ReachedSkill,
    args: Json,
    key: string,
    stands: Stands,
  ): Promise<ToolReply> => {
    const same = hashOf([called, args === '' ? null : args]);
    const before = loads.get(same);
    if (before !== undefined && stands(before))
      return noteOf(`"${called}" is loaded: its text stands above.`);
    const output = await scope.call(called, args, { through: 'load', key });
    if (output.status === 'failed') return output;
    loads.set(same, key);
    return { ...output, loaded: { name: called, hooks: hooksIn(output.value) } };
  };

  return (offer) => ({
    name: skillToolName,
    description: offer.description,
    input,
    label: 'Skill',
    sequential: (given) => matching(offer, given).some(({ skill }) => isLoaded(scope, skill)),
    literal: (given) => matching(offer, given).some(({ skill }) => skill.card.runsProcesses === true),
    async call(given, key, stands) {
      const { reached, args } = wantedFrom(scope, offer, given);
      const { skill, called } = reached;
      if (isLoaded(scope, skill)) return load(reached, args, key, stands);
      const output = scope.call(called, args, { key });
      if (skill.card.forks !== 'background')
        return { ...(await output), ...optional('fromOutside', skill.card.fromOutside) };
      const text = `"${called}" works in the background. Go on; what it comes to will be given to you as a message.`;
      return { ...noteOf(text), later: { name: called, output } };
    },
  });
}

/** What a call wants; one that means nothing is an error for the model, and a note for people. */
function wantedFrom(scope: Scope, offer: SkillToolOffer, given: Json): { reached: ReachedSkill; args: Json } {
  try {
    const { name, args = null } = fitSchema({ skill: 'skill' }, input, given) as Named;
    return { reached: theOne(offer, name), args };
  } catch (thrown) {
    scope.note(`A call of the model could not be made: ${reasonOf(thrown)}`);
    throw thrown;
  }
}

type Stands = (key: string) => boolean;
type Named = { readonly name: string; readonly args?: Json };

/** Whether its text is given to the model, which then works by it. */
function isLoaded(scope: Scope, skill: Skill): boolean {
  return skill.card.forks === undefined && scope.skills.isLoadable(skill);
}

/** The skills that an input may mean. */
function matching({ reached }: SkillToolOffer, given: Json): readonly ReachedSkill[] {
  const name = isJsonObject(given) ? given['name'] : undefined;
  if (typeof name !== 'string') return [];
  const wanted = name.trim().replace(/^\//, '');
  const exact = reached.filter(({ called }) => called === wanted);
  if (exact.length > 0) return exact;
  const plain = normaliseName(wanted);
  return reached.filter(({ skill }) => skill.name === plain || skill.aliases.includes(wanted));
}

function theOne(offer: SkillToolOffer, name: string): ReachedSkill {
  const [one, ...others] = matching(offer, { name });
  if (one !== undefined && others.length === 0) return one;
  const names = (some: readonly ReachedSkill[]): readonly string[] => some.map(({ called }) => called);
  if (one !== undefined) {
    throw new AgentError('usage.bad-input', `"${name}" means several skills.`, {
      hint: `Give one of these names: ${names([one, ...others]).join(', ')}.`,
    });
  }
  if (offer.others.includes(name)) {
    throw new AgentError('usage.bad-input', `"${name}" is a tool of its own.`, {
      hint: 'Call it by itself.',
    });
  }
  throw new AgentError('skill.not-found', `There is no skill "${name}" here.`, {
    hint: didYouMean(name, names(offer.reached)) ?? 'Use a name from the list of skills, or do without one.',
  });
}

function noteOf(text: string): ToolReply & { readonly status: 'done' } {
  return { status: 'done', text, isNote: true };
}

const moments: readonly HookMoment[] = ['before', 'after', 'stop'];

function hooksIn(value: Json | undefined): readonly HookMoment[] {
  const wanted = isJsonObject(value) ? value['hooks'] : undefined;
  return Array.isArray(wanted) ? moments.filter((moment) => wanted.includes(moment)) : [];
}
