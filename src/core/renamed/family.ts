import { warnRenamed } from './renamed.ts';

/**
 * Returns a family with its members in their current groups. Also accepts a family in the form of release
 * 0.1, with a warning.
 */
export function currentFamily<Spec extends object>(spec: Spec): Spec {
  const moved = Object.keys(movedMembers).filter((name) => {
    const value: unknown = Reflect.get(spec, name);
    return value !== undefined && (name !== 'permission' || typeof value === 'function');
  });
  return moved.length === 0 ? spec : groupMembers(spec, moved);
}

/** The member names of release 0.1, mapped to their current locations. */
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

/** The family members that can be methods of a class. */
const methods = ['parse', 'adopt', 'configure', 'execute'];

/**
 * Moves members into their groups. Functions stay bound to the original family, because they can call each
 * other.
 */
function groupMembers<Spec extends object>(spec: Spec, moved: readonly string[]): Spec {
  const memberOf = (name: string): unknown => {
    const value: unknown = Reflect.get(spec, name);
    return typeof value === 'function' ? (value.bind(spec) as unknown) : value;
  };
  const members = new Map([...Object.keys(spec), ...methods].map((name) => [name, memberOf(name)]));
  for (const old of moved) {
    const path = movedMembers[old] ?? old;
    warnRenamed(`FamilySpec.${old}`, `FamilySpec.${path}`);
    const [group = '', name = ''] = path.split('.');
    members.delete(old);
    members.set(group, { ...(members.get(group) as object | undefined), [name]: memberOf(old) });
  }
  return Object.fromEntries([...members].filter(([, value]) => value !== undefined)) as Spec;
}
