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

/** The requested servers and which of their tools to provide. */
export interface ToolSelection {
  /** Names of servers in the settings, or server descriptions. */
  readonly servers: readonly (string | ServerDescription)[];
  /** Tool entries as written in files. If absent, all tools are allowed; if empty, none. */
  readonly allowed?: readonly string[] | undefined;
}

/**
 * Provides the servers' tools as skills of this frame, each named `server.tool`. Returns the skills that the
 * frame may call. Throws if a required server fails: the only server, or a server whose tools are listed by
 * name. Other failures are only noted.
 */
export async function provideTools(scope: Scope, selection: ToolSelection): Promise<readonly Skill[]> {
  const allowed = readAllowedTools(selection.allowed);
  const concerned = selection.servers.filter((which) => allowed.concerns(nameOf(which)));
  const listed = await Promise.all(concerned.map((which) => listTools(scope, which, allowed)));
  scope.signal.throwIfAborted();
  const reached = listed.filter((one) => one.fault === undefined);
  for (const { name, fault } of listed) {
    if (fault === undefined) continue;
    if (reached.length === 0 || allowed.names(name)) throw fault;
    scope.note(`"${scope.skill.name}" continues without the server "${name}": ${fault.message}`);
  }
  for (const complaint of reached.flatMap(({ complaints }) => complaints)) scope.note(complaint);
  noteMissing(scope, allowed, reached);
  return scope.skills.provide(reached.flatMap((server) => skillsOf(server, allowed)));
}

/** Returns the name of a server that is specified by its name or by a description. */
export function nameOf(which: string | ServerDescription): string {
  return typeof which === 'string' ? which : which.name;
}

/**
 * Returns the skills for a server's tools. Its other features are added unless a tool already has the same
 * name.
 */
function skillsOf(server: ListedServer, allowed: AllowedTools): readonly ProvidedSkill[] {
  const { name, tools, names, features } = server;
  const others = featureSkills(server, features).filter(
    ({ tool }) => !names.includes(tool) && allowed.allows(name, tool),
  );
  return [...tools.map((definition) => toolSkill(server, definition)), ...others.map(({ skill }) => skill)];
}

/** Adds a note for listed names that match no tool, for example because of a typo or a removed tool. */
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
      [`"${scope.skill.name}" allows the tool "${written}", which none of its servers provides.`, hint]
        .filter((part) => part !== undefined)
        .join(' '),
    );
  }
}
