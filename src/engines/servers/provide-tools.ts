import {
  didYouMean,
  type ProvidedSkill,
  type Scope,
  type ServerDescription,
  type Skill,
} from '../../core/index.ts';
import { readAllowedTools, type AllowedTools } from './allowed-tools.ts';
import { featureNames, featureSkills } from './feature-skills.ts';
import { listTools, type ListedServer } from './list-tools.ts';
import { toolSkill } from './tool-skill.ts';

/** Whose tools are wanted, and which of them. */
export interface WantedTools {
  /** Names that settings know, or descriptions. */
  readonly servers: readonly (string | ServerDescription)[];
  /** Entries as files write them. Absent: all tools. Empty: none. */
  readonly allowed?: readonly string[] | undefined;
}

/**
 * Makes the tools of servers skills of this frame, each `server.tool`, and gives those that it may call. Throws the error
 * of a server that cannot be done without: the only one, or one whose tools are named; another one is noted.
 */
export async function provideTools(scope: Scope, wanted: WantedTools): Promise<readonly Skill[]> {
  const allowed = readAllowedTools(wanted.allowed);
  const concerned = wanted.servers.filter((which) => allowed.concerns(nameOf(which)));
  const listed = await Promise.all(concerned.map((which) => listTools(scope, which, allowed)));
  scope.signal.throwIfAborted();
  const reached = listed.filter((one) => one.fault === undefined);
  for (const { name, fault } of listed) {
    if (fault === undefined) continue;
    if (reached.length === 0 || allowed.names(name)) throw fault;
    scope.note(`"${scope.skill.name}" goes on without the server "${name}": ${fault.message}`);
  }
  for (const complaint of reached.flatMap(({ complaints }) => complaints)) scope.note(complaint);
  noteMissing(scope, allowed, reached);
  return scope.skills.provide(reached.flatMap((server) => skillsOf(server, allowed)));
}

/** The name of a server, however it is given. */
export function nameOf(which: string | ServerDescription): string {
  return typeof which === 'string' ? which : which.name;
}

/** Tools, and what else the server can do under names that no tool has. */
function skillsOf(server: ListedServer, allowed: AllowedTools): readonly ProvidedSkill[] {
  const { name, tools, names, features } = server;
  const others = featureSkills(server, features).filter(
    ({ tool }) => !names.includes(tool) && allowed.allows(name, tool),
  );
  return [...tools.map((definition) => toolSkill(server, definition)), ...others.map(({ skill }) => skill)];
}

/** A name on the list that leads to no tool is most likely a slip, or a tool that the server had once. */
function noteMissing(scope: Scope, { entries = [] }: AllowedTools, reached: readonly ListedServer[]): void {
  const known = reached.flatMap(({ name, names, features }) =>
    [...names, ...featureNames(features)].map((tool) => ({ server: name, tool })),
  );
  const full = known.map(({ server, tool }) => `${server}.${tool}`);
  for (const { server, tool } of entries) {
    if (tool.includes('*') || !reached.some(({ name }) => server === '*' || server === name)) continue;
    if (known.some((one) => one.tool === tool && (server === '*' || one.server === server))) continue;
    const written = server === '*' ? tool : `${server}.${tool}`;
    const hint = didYouMean(written, full);
    scope.note(
      [`"${scope.skill.name}" allows "${written}", which is no tool of its servers.`, hint]
        .filter((part) => part !== undefined)
        .join(' '),
    );
  }
}
