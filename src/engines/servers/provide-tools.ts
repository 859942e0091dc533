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

/** A selection of servers, and of their tools. */
export interface ToolSelection {
  /** Names of servers in the settings, or server descriptions. */
  readonly servers: readonly (string | ServerDescription)[];
  /** Entries of a tool list. If absent, all tools are allowed; if empty, no tools are allowed. */
  readonly allowed?: readonly string[] | undefined;
}

/**
 * Makes the servers' tools callable in this frame, as skills named `server.tool`. Returns the skills that the
 * frame may call. Throws if every server fails, or if a server that `allowed` names fails. Adds a note for
 * any other failure.
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

/** Returns the name of a server that is given by name or by description. */
export function nameOf(which: string | ServerDescription): string {
  return typeof which === 'string' ? which : which.name;
}

/**
 * Returns skills for the tools of a server, and for its resources and prompts unless a tool has the same
 * name.
 */
function skillsOf(server: ListedServer, allowed: AllowedTools): readonly ProvidedSkill[] {
  const { name, tools, names, features } = server;
  const others = featureSkills(server, features).filter(
    ({ tool }) => !names.includes(tool) && allowed.allows(name, tool),
  );
  return [...tools.map((definition) => toolSkill(server, definition)), ...others.map(({ skill }) => skill)];
}

/**
 * Adds a note for each listed name that matches no tool. The name may be misspelled, or the tool may have
 * been removed.
 */
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
