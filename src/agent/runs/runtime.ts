import {
  earlierDatabaseMembers,
  isForeign,
  optional,
  secretsIn,
  type CatalogQuery,
  type Database,
  type ModelSource,
  type ShownCatalog,
  type Skill,
  type Store,
} from '../../core/index.ts';
import { ScopedResources } from '../../run/calls/scoped-resources.ts';
import type { Runtime } from '../../run/kernel.ts';
import { buildCatalog, type Catalog } from '../../skills/catalog/catalog.ts';
import { createBundleCopies } from '../../skills/digest/bundle-copies.ts';
import { baseEnvironment, overlayOf } from '../../skills/eligibility/environment.ts';
import { entryOf, type SkillEntry } from '../../skills/eligibility/skill-settings.ts';
import { definitionOf } from '../../skills/registry/definition.ts';
import type { Skills } from '../../skills/skills.ts';
import { injectSkills } from '../inject-skills.ts';
import { folderAt, workspaceOf } from '../options.ts';
import { currentPolicy } from '../policy.ts';
import { copiesFolder, findProtectedPaths } from '../protected-paths.ts';
import { currentRedactor } from '../redaction.ts';
import { knownServers, openServer } from '../servers/open-server.ts';
import { locationOf, mustNotBlock, sandboxesOf, type AgentContext } from '../setup.ts';

/** The opened services and the variables from which a runtime is built. */
interface OpenedRuntime {
  readonly store: Store;
  readonly models: ModelSource;
  /** The variables from the workspace's `.env` file. */
  readonly inFile: ReadonlyMap<string, string>;
}

/** Builds the runtime for an agent's runs. */
export function runtimeOf(context: AgentContext, { store, models, inFile }: OpenedRuntime): Runtime {
  const { options, ports, setUp, skills } = context;
  const secrets = [
    ...secretsIn(ports.environment),
    ...secretsIn(Object.fromEntries(inFile)),
    ...(options.secrets ?? []),
  ];
  const entryFor = (skill: Skill): SkillEntry | undefined => {
    const { name, source, card } = skill;
    if (takesOwnName(skill, skills.snapshot().skills)) return undefined;
    return entryOf({ name, source, requires: card.requires }, context.setUp.settings.skills ?? {});
  };
  const sandboxes = sandboxesOf(context);
  const policy = currentPolicy(context);
  const copies = createBundleCopies({
    folder: copiesFolder(options, ports),
    days: options.retentionDays || longestRetention,
  });
  return {
    store,
    checkSettings: () => {
      mustNotBlock(context.setUp.issues, options.permissions?.tools);
    },
    policy,
    approvalMs: (options.approvalHours ?? setUp.settings.approvalHours ?? usualApprovalHours) * 3_600_000,
    model: (name) => models.model(name),
    workspace: workspaceOf(options),
    sandboxes,
    openCode: () => ports.openCode(sandboxes),
    openSnippets: ports.openSnippets,
    openDatabase: (location) => openDatabase(context, location),
    serverNames: () => knownServers(context).map(({ name }) => name),
    openServer: (which, asker) =>
      openServer({ context, sandboxes }, which, { ...asker, entry: entryFor(asker.skill) }),
    protectedPaths: findProtectedPaths(options, ports),
    environmentOf: (skill) => ({
      ...baseEnvironment(ports.environment),
      ...overlayOf(skill.card.requires, entryFor(skill), ports.environment).variables,
    }),
    reachOf: (skill) => {
      const { hosts = [], read = [], workspace, processes = false } = entryFor(skill) ?? {};
      const folders = read.map((folder) => folderAt(folder, ports.home));
      return { hosts, read: folders, ...optional('workspace', workspace), processes };
    },
    isShellDisabled: () => context.setUp.settings.skills?.disableShellExecution === true,
    enforcesTools: () => context.setUp.settings.skills?.enforceTools === true,
    inject: (registry, request) =>
      injectSkills(registry, request, {
        skills,
        policy,
        limits: setUp.limits,
        workspace: workspaceOf(options),
      }),
    redact: currentRedactor(context, secrets),
    limits: setUp.runLimits,
    owner: ports.owner,
    version: ports.version,
    now: Date.now,
    random: Math.random,
    registry: () => skills.snapshot(),
    definitionOf: (skill, family) => definitionOf(skill, family, setUp.limits, context.setUp.settings.skills),
    digestOf: (skill) => skills.digest(skill),
    digestNow: (skill) => skills.digestNow(skill),
    renewDigest: (skill) => skills.renewDigest(skill),
    copyOf: (skill, digest) => (mayCopy(skill) ? copies.open(skill, digest) : undefined),
    catalog: (callable, query) => catalogFor(skills, callable, query),
    find: (among, request, limit) => findAmong(skills, among, request, limit),
    rank: (prompt, among, limit) => skills.rank(prompt, { among, limit }),
    routing: {
      exposesInternals: options.exposeInternalSkills ?? setUp.settings.exposeInternalSkills ?? true,
      assistant:
        options.assistant ??
        setUp.settings.assistant ??
        (options.instructions === undefined ? 'skills-only' : 'open'),
      session: options.fallbackSessionType ?? setUp.settings.fallbackSessionType ?? 'loop',
    },
    surroundings: () => {
      const { files: instructions, unused } = context.instructions.usable();
      return { platform: ports.platform, ...optional('program', options.instructions), instructions, unused };
    },
    summarises: options.enableSummary ?? setUp.settings.enableSummary ?? false,
    resources: new ScopedResources(),
  };
}

const longestRetention = 36_500; // The maximum retention time in days, also used if runs are kept forever.

/**
 * Whether a skill may run from a copy. Bundled skills need no copy because they are trusted as much as the
 * program itself.
 */
function mayCopy(skill: Skill & { readonly loose?: boolean }): skill is Skill & { readonly loose: boolean } {
  return skill.loose === false && skill.file !== '' && skill.source !== 'bundled';
}

/**
 * Opens a database for records. A location that a skill names is relative to the workspace. A database that
 * the caller passed in is never closed here.
 */
async function openDatabase(
  { options, ports }: AgentContext,
  location: string | undefined,
): Promise<Database> {
  if (location !== undefined) return ports.openDatabase(location, workspaceOf(options));
  const { database } = options;
  if (typeof database !== 'object') return ports.openDatabase(database, undefined);
  const open: Database = {
    kind: database.kind,
    location: locationOf(database),
    read: (statement) => database.read(statement),
    write: (work) => database.write(work),
    close: async () => {},
  };
  return Object.defineProperties(open, earlierDatabaseMembers);
}

/**
 * Whether a skill from another source shares its name with one of the user's own skills. Settings for that
 * name apply only to the user's own skill.
 */
function takesOwnName(skill: Skill, all: readonly Skill[]): boolean {
  return isForeign(skill) && all.some((other) => other.name === skill.name && !isForeign(other));
}

const usualApprovalHours = 24;

async function findAmong(
  skills: Skills,
  among: readonly Skill[],
  request: string,
  limit: number,
): Promise<readonly Skill[]> {
  const known = new Set(among);
  const { candidates } = await skills.rank(request, {
    limit: limit + skills.snapshot().skills.length - known.size,
  });
  const found = candidates.map(({ name }) => skills.get(name));
  return found.filter((skill) => skill !== undefined && known.has(skill)).slice(0, limit) as readonly Skill[];
}

/**
 * Builds the catalog of the skills that a frame may call. If not all of them fit, selects the skills most
 * relevant to the request.
 */
async function catalogFor(
  skills: Skills,
  callable: readonly Skill[],
  { request, ...limits }: CatalogQuery,
): Promise<ShownCatalog> {
  const plain = buildCatalog(callable, { limits });
  if (request === undefined || plain.omitted.length === 0) return shownOf(plain);
  const { candidates } = await skills.rank(request, { limit: callable.length });
  return shownOf(buildCatalog(callable, { limits, relevance: candidates.map(({ name }) => name) }));
}

function shownOf({ text, shown, omitted }: Catalog): ShownCatalog {
  return { text, shown, omitted };
}
