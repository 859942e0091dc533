import {
  AgentError,
  defineFamily,
  renamedMembers,
  type Family,
  type FoundSkill,
  type Json,
  type ProvidedSkill,
  type ScopeSkills,
  type ShownCatalog,
  type Skill,
} from '../../core/index.ts';
import type { CallTarget, Frame } from '../calls/frame.ts';
import { isLoadable } from '../calls/resolve.ts';
import type { Injection } from '../kernel.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { mustBeOutside } from '../log/replay.ts';
import { contentKey } from '../log/sanitize.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import { searchSkill } from '../permissions/internal-skills.ts';
import { toolLists } from '../permissions/tool-lists.ts';
import { readStep, runStep } from './step.ts';

/** A function that runs `work`. It throws if called inside a step's effect. */
export type Outside = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** A call, and the skills that are available to it. */
interface SkillsContext {
  readonly execution: Execution;
  readonly frame: Frame;
  readonly skill: Skill;
  readonly callable: () => readonly Skill[];
  readonly listed: () => readonly Skill[];
  readonly outside: Outside;
}

/** Creates the `skills` part of a scope. Records search results, catalogs and injected texts for replay. */
export function createScopeSkills(context: SkillsContext): ScopeSkills {
  const { execution, frame, skill, callable, listed, outside } = context;
  const { kernel, registry, session } = execution;
  const canLoad = (one: Skill): boolean => isLoadable(registry, one);
  return {
    get callable() {
      return callable();
    },
    get listed() {
      return listed();
    },
    get search() {
      if (kernel.routing.exposesInternals || isClosed(frame)) return undefined;
      return searchSkill(registry, toolLists(frame, kernel.enforcesTools()), callable());
    },
    lookUp: (name) => frame.provided.get(name)?.skill ?? registry.lookup.find(name),
    isLoadable: canLoad,
    find: (request, limit) =>
      outside(() => {
        const key = frame.occurrence(contentKey('find', [request, limit]));
        const look = async (): Promise<Json> =>
          (await kernel.find(listed(), request, limit)).map(({ name, card }) => ({
            name,
            description: card.description,
          }));
        return readStep(execution, frame, key, look) as unknown as Promise<readonly FoundSkill[]>;
      }),
    catalog: (query = {}) =>
      outside(() => {
        const key = frame.occurrence(contentKey('catalog', query as Json));
        const make = (): Promise<ShownCatalog> =>
          kernel.catalog(query.loadable === true ? callable().filter(canLoad) : callable(), query);
        return readStep(execution, frame, key, make) as unknown as Promise<ShownCatalog>;
      }),
    inject: (names, how, paths = []) =>
      outside(async () => {
        const key = frame.occurrence(contentKey('inject', [...names, how, ...paths]));
        const make = (): unknown => kernel.inject(registry, { skill, names, how, paths, session });
        const { text, places } = (await runStep(execution, frame, key, make)) as unknown as Injection;
        for (const path of places) frame.given.add(path);
        return text;
      }),
    provide: (skills) => {
      mustBeOutside(frame);
      const given = new Set(provideSkills(frame, skills));
      return callable().filter((one) => given.has(one));
    },
  };
}

/**
 * Whether a frame's skill has a list of all skills that it may call. The list of an assistant is ignored,
 * because it is generated.
 */
function isClosed({ skill }: Frame): boolean {
  return skill?.card.allowedSkills !== undefined && !isInternal(skill);
}

/** Adds skills that only this frame can use. Throws `skill.duplicate` if two have the same name. */
export function provideSkills(
  frame: Frame,
  skills: readonly ProvidedSkill[],
  traits: Pick<CallTarget, 'isOfClient'> = {},
): readonly Skill[] {
  const provider = frame.skill;
  if (provider === undefined) return [];
  const targets = skills.map((provided) => ({ ...targetOf(provided, provider), ...traits }));
  const taken = new Set(frame.provided.keys());
  for (const { skill } of targets) {
    if (taken.has(skill.name)) throw twice(provider, skill);
    taken.add(skill.name);
  }
  for (const target of targets) frame.provided.set(target.skill.name, target);
  return targets.map(({ skill }) => skill);
}

function twice(provider: Skill, { name }: Skill): AgentError {
  return new AgentError('skill.duplicate', `"${provider.name}" has two tools named "${name}".`, {
    hint: 'Use different names for its servers.',
  });
}

function targetOf(provided: ProvidedSkill, { family: id }: Skill): CallTarget {
  const { name, card, digest, source } = provided;
  const skill: Skill = {
    name,
    aliases: [],
    family: id,
    source,
    root: '',
    dir: '',
    file: '',
    status: 'ready',
    issues: [],
    card: { ...card, allowedSkills: [] },
    codeDefinition: provided,
  };
  Object.defineProperties(skill, earlierSkillMembers);
  return { skill, family: familyOf(id), definition: provided, digest, isLeaf: true, isProvided: true };
}

const earlierSkillMembers = renamedMembers({ made: 'codeDefinition' }, 'Skill');

const families = new Map<string, Family>();

/**
 * Returns a family for provided skills, under the id of the providing skill's family. A provided skill has a
 * `run` function but no file.
 */
function familyOf(id: string): Family {
  const known =
    families.get(id) ??
    defineFamily<ProvidedSkill>({
      id,
      label: id,
      parse: () => ({ name: '', card: { description: '' }, definition: undefined, issues: [] }),
      execute: (provided, input, scope) => provided.run(input, scope),
      permission: { describe: ({ permission }) => permission },
    });
  families.set(id, known);
  return known;
}
