import { acceptRenamed, warnRenamed } from './renamed.ts';

/**
 * Converts a family to its current form. The forms of earlier releases are accepted with a warning: members
 * outside their group are moved into it, and renamed members get their current names.
 */
export function currentFamily<Spec extends object>(spec: Spec): Spec {
  const moved = Object.keys(movedMembers).filter((name) => {
    const value: unknown = Reflect.get(spec, name);
    return value !== undefined && (name !== 'permission' || typeof value === 'function');
  });
  const groups = renamedGroups(spec);
  return moved.length + groups.length === 0 ? spec : groupMembers(spec, moved, groups);
}

/** Members that were renamed within their group. */
const renamedInGroups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  authoring: { firstWords: 'examplePrompt' },
  input: { readsWords: 'acceptsText' },
};

/** Returns the groups that contain an old name, with their members under the current names. */
function renamedGroups(spec: object): readonly (readonly [group: string, members: object])[] {
  return Object.entries(renamedInGroups).flatMap(([group, names]) => {
    const members: unknown = Reflect.get(spec, group);
    if (typeof members !== 'object' || members === null) return [];
    const current = acceptRenamed(members, names, `FamilySpec.${group}`);
    return current === members ? [] : [[group, current] as const];
  });
}

/** Member names from release 0.1, mapped to their current paths. */
const movedMembers: Readonly<Record<string, string>> = {
  permission: 'permission.describe',
  purpose: 'authoring.purpose',
  firstWords: 'authoring.examplePrompt',
  template: 'authoring.template',
  templateFrom: 'authoring.templateFrom',
  lint: 'authoring.lint',
  defaultArgument: 'input.defaultArgument',
  readsWords: 'input.acceptsText',
  accept: 'input.accept',
  runsCode: 'permission.runsCode',
  render: 'text.render',
  load: 'text.load',
  hook: 'text.hook',
  prepare: 'generation.prepare',
  preparesEarly: 'generation.isEarly',
  isDue: 'generation.isDue',
  inspect: 'generation.inspect',
  build: 'generation.build',
  adHoc: 'prompts.assistant',
  answers: 'prompts.answers',
  recognises: 'prompts.recognises',
};

/** Members that a class can define as methods, which `Object.keys` does not list. */
const methods = ['parse', 'adopt', 'configure', 'execute'];

/**
 * Moves members into their groups. Functions stay bound to the original family, because they can call each
 * other.
 */
function groupMembers<Spec extends object>(
  spec: Spec,
  moved: readonly string[],
  groups: ReturnType<typeof renamedGroups>,
): Spec {
  const memberOf = (name: string): unknown => {
    const value: unknown = Reflect.get(spec, name);
    return typeof value === 'function' ? (value.bind(spec) as unknown) : value;
  };
  const members = new Map([...Object.keys(spec), ...methods].map((name) => [name, memberOf(name)]));
  for (const [group, current] of groups) members.set(group, current);
  for (const old of moved) {
    const path = movedMembers[old] ?? old;
    warnRenamed(`FamilySpec.${old}`, `FamilySpec.${path}`);
    const [group = '', name = ''] = path.split('.');
    members.delete(old);
    members.set(group, { ...(members.get(group) as object | undefined), [name]: memberOf(old) });
  }
  return Object.fromEntries([...members].filter(([, value]) => value !== undefined)) as Spec;
}
