import {
  AgentError,
  fitSchema,
  hashOf,
  isJsonObject,
  nearestNames,
  nearHint,
  normaliseName,
  reasonOf,
  type HookMoment,
  type Json,
  type JsonObject,
  type Scope,
  type Skill,
} from '../../core/index.ts';
import { resultTraits, type LoadedSkillText, type LoopTool, type ToolReply } from './tools.ts';

/** A skill that the tool can call or load, under the name that the model uses. */
export interface ReachedSkill {
  readonly skill: Skill;
  readonly called: string;
}

/** The skills that the tool offers. */
interface SkillToolOffer {
  readonly description: string;
  readonly reached: readonly ReachedSkill[];
  /** The names of the other tools. The model may confuse one of them with a skill. */
  readonly others: readonly string[];
}

/** The tool's name. A skill with the same name is renamed. */
export const skillToolName = 'skill';

const input: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'The name of the skill.' },
    args: {
      anyOf: [{ type: 'string' }, { type: 'object' }],
      description:
        'The arguments of the skill, if it takes any: text, or an object with the argument names as keys.',
    },
  },
  required: ['name'],
  additionalProperties: false,
};

/**
 * Returns a function that creates one tool for many skills. Call that function again when the skills change.
 * A skill that can be loaded is not loaded again while its text is in the conversation. A forking skill runs
 * separately, and its card says whether the model waits for it. Other skills are called.
 */
export function createSkillTool(scope: Scope): (offer: SkillToolOffer) => LoopTool {
  const loads = new Map<string, string>();

  const load = async (
    { called }: ReachedSkill,
    args: Json,
    key: string,
    isInContext: ContextCheck,
  ): Promise<ToolReply> => {
    const same = hashOf([called, args === '' ? null : args]);
    const before = loads.get(same);
    if (before !== undefined && isInContext(before))
      return noteOf(`"${called}" is already loaded: its text is above.`);
    const output = await scope.call(called, args, { mode: 'load', key });
    if (output.status === 'failed') return output;
    loads.set(same, key);
    return { ...output, loaded: { name: called, ...hooksIn(output.value) } };
  };

  return (offer) => ({
    name: skillToolName,
    description: offer.description,
    input,
    label: 'Skill',
    sequential: (given) => matching(offer, given).some(({ skill }) => isLoaded(scope, skill)),
    literal: (given) => matching(offer, given).some(({ skill }) => skill.card.runsProcesses === true),
    async call(given, key, isInContext) {
      const { reached, args } = resolveCall(scope, offer, given);
      const { skill, called } = reached;
      if (isLoaded(scope, skill)) return load(reached, args, key, isInContext);
      const output = scope.call(called, args, { key });
      if (skill.card.forks !== 'background') return { ...(await output), ...resultTraits(skill.card) };
      const text = `"${called}" runs in the background. Continue; you will get its result as a message.`;
      return { ...noteOf(text), later: { name: called, output } };
    },
  });
}

/**
 * Returns the skill that a call refers to. For an invalid call, adds a note and throws an error that the
 * model reads.
 */
function resolveCall(
  scope: Scope,
  offer: SkillToolOffer,
  given: Json,
): { reached: ReachedSkill; args: Json } {
  try {
    const { name, args = null } = fitSchema({ skill: 'skill' }, input, given) as Named;
    return { reached: theOne(offer, name), args };
  } catch (thrown) {
    scope.note(`The model made an invalid call: ${reasonOf(thrown)}`);
    throw thrown;
  }
}

type ContextCheck = (key: string) => boolean;
type Named = { readonly name: string; readonly args?: Json };

/** Whether the skill's text is loaded into the conversation as instructions. */
function isLoaded(scope: Scope, skill: Skill): boolean {
  return skill.card.forks === undefined && scope.skills.isLoadable(skill);
}

/** Returns the skills that the name in an input can refer to. */
function matching({ reached }: SkillToolOffer, given: Json): readonly ReachedSkill[] {
  const name = isJsonObject(given) ? given['name'] : undefined;
  if (typeof name !== 'string') return [];
  const target = name.trim().replace(/^\//, '');
  const exact = reached.filter(({ called }) => called === target);
  if (exact.length > 0) return exact;
  const plain = normaliseName(target);
  return reached.filter(({ skill }) => skill.name === plain || skill.aliases.includes(target));
}

function theOne(offer: SkillToolOffer, name: string): ReachedSkill {
  const [one, ...others] = matching(offer, { name });
  if (one !== undefined && others.length === 0) return one;
  const names = (some: readonly ReachedSkill[]): readonly string[] => some.map(({ called }) => called);
  if (one !== undefined) {
    throw new AgentError('usage.bad-input', `"${name}" is ambiguous.`, {
      hint: `Use one of these names: ${names([one, ...others]).join(', ')}.`,
    });
  }
  if (offer.others.includes(name)) {
    throw new AgentError('usage.bad-input', `"${name}" is a separate tool.`, {
      hint: 'Call it directly.',
    });
  }
  const near = nearestNames(normaliseName(name), [...names(offer.reached), ...offer.others]);
  throw new AgentError('skill.not-found', `There is no skill "${name}".`, {
    hint: nearHint(near) ?? 'Use a name from the list of skills, or continue without a skill.',
    details: { near: [...near] },
  });
}

function noteOf(text: string): ToolReply & { readonly status: 'done' } {
  return { status: 'done', text, isNote: true };
}

const moments: readonly HookMoment[] = ['before', 'after', 'stop'];

/** Returns the hooks in the value of a loaded text. Any family can return one, so nothing is assumed. */
function hooksIn(value: Json | undefined): Omit<LoadedSkillText, 'name'> {
  const { hooks, sharedHooks } = isJsonObject(value) ? value : {};
  const { id, moments: shared } = isJsonObject(sharedHooks) ? sharedHooks : {};
  return {
    hooks: momentsIn(hooks),
    ...(typeof id === 'string' ? { sharedHooks: { id, moments: momentsIn(shared) } } : {}),
  };
}

function momentsIn(value: Json | undefined): readonly HookMoment[] {
  return Array.isArray(value) ? moments.filter((moment) => value.includes(moment)) : [];
}
