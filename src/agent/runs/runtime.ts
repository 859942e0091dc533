import {
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
import { Keeper } from '../../run/calls/scoped-resources.ts';
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
import { copiesFolder, guardedPlaces } from '../protected-paths.ts';
import { currentRedactor } from '../redaction.ts';
import { knownServers, openServer } from '../servers/open-server.ts';
import { mustNotBlock, sandboxesOf, type Lender } from '../setup.ts';

/** What is opened for runs, and was found on the way. */
interface OpenedRuntime {
  readonly store: Store;
  readonly models: ModelSource;
  /** The variables of the `.env` file in the workspace. */
  readonly inFile: ReadonlyMap<string, string>;
}

/** The ground that runs stand on. */
export function runtimeOf(lender: Lender, { store, models, inFile }: OpenedRuntime): Runtime {
  const { options, ports, setUp, skills } = lender;
  const secrets = [
    ...secretsIn(ports.environment),
    ...secretsIn(Object.fromEntries(inFile)),
    ...(options.secrets ?? []),
  ];
  const entryFor = (skill: Skill): SkillEntry | undefined => {
    const { name, source, card } = skill;
    if (takesOwnName(skill, skills.snapshot().skills)) return undefined;
    return entryOf({ name, source, requires: card.requires }, lender.setUp.settings.skills ?? {});
  };
  const sandboxes = sandboxesOf(lender);
  const policy = currentPolicy(lender);
  const copies = createBundleCopies({
    folder: copiesFolder(options, ports),
    days: options.retentionDays || longestRetention,
  });
  return {
    store,
    checkSettings: () => {
      mustNotBlock(lender.setUp.issues, options.permissions?.tools);
    },
    policy,
    approvalMs: (options.approvalHours ?? setUp.settings.approvalHours ?? usualApprovalHours) * 3_600_000,
    model: (name) => models.model(name),
    workspace: workspaceOf(options),
    sandboxes,
    openCode: () => ports.openCode(sandboxes),
    openSnippets: ports.openSnippets,
    openDatabase: (place) => openDatabase(lender, place),
    serverNames: () => knownServers(lender).map(({ name }) => name),
    openServer: (which, asker) =>
      openServer({ lender, sandboxes }, which, { ...asker, entry: entryFor(asker.skill) }),
    guarded: guardedPlaces(options, ports),
    environmentOf: (skill) => ({
      ...baseEnvironment(ports.environment),
      ...overlayOf(skill.card.requires, entryFor(skill), ports.environment).variables,
    }),
    reachOf: (skill) => {
      const { hosts = [], read = [], workspace, processes = false } = entryFor(skill) ?? {};
      const folders = read.map((folder) => folderAt(folder, ports.home));
      return { hosts, read: folders, ...optional('workspace', workspace), processes };
    },
    isShellDisabled: () => lender.setUp.settings.skills?.disableShellExecution === true,
    enforcesTools: () => lender.setUp.settings.skills?.enforceTools === true,
    inject: (registry, request) =>
      injectSkills(registry, request, {
        skills,
        policy,
        limits: setUp.limits,
        workspace: workspaceOf(options),
      }),
    redact: currentRedactor(lender, secrets),
    limits: setUp.runLimits,
    owner: ports.owner,
    version: ports.version,
    now: Date.now,
    random: Math.random,
    registry: () => skills.snapshot(),
    definitionOf: (skill, family) => definitionOf(skill, family, setUp.limits, lender.setUp.settings.skills),
    digestOf: (skill) => skills.digest(skill),
    digestNow: (skill) => skills.digestNow(skill),
    renewDigest: (skill) => skills.renewDigest(skill),
    copyOf: (skill, digest) => (mayCopy(skill) ? copies.open(skill, digest) : undefined),
    catalog: (callable, query) => catalogFor(skills, callable, query),
    find: (among, request, limit) => findAmong(skills, among, request, limit),
    rank: (prompt, among, limit) => skills.rank(prompt, { among, limit }),
    routing: {
      exposesInternals: options.exposeInternalSkills ?? setUp.settings.exposeInternalSkills ?? true,
      session: options.fallbackSessionType ?? setUp.settings.fallbackSessionType ?? 'loop',
    },
    summarises: options.enableSummary ?? setUp.settings.enableSummary ?? false,
    keeper: new Keeper(),
  };
}

const longestRetention = 36_500; // days: runs are kept for good, and so is what they ran

/** The package's own skills are as safe as the program that runs them. */
function mayCopy(skill: Skill & { readonly loose?: boolean }): skill is Skill & { readonly loose: boolean } {
  return skill.loose === false && skill.file !== '' && skill.source !== 'bundled';
}

/** A database that the caller gave stays open; what a skill names is understood from the workspace. */
async function openDatabase({ options, ports }: Lender, place: string | undefined): Promise<Database> {
  if (place !== undefined) return ports.openDatabase(place, workspaceOf(options));
  const { database } = options;
  if (typeof database !== 'object') return ports.openDatabase(database, undefined);
  const { kind, place: name } = database;
  return {
    kind,
    place: name,
    read: (statement) => database.read(statement),
    write: (work) => database.write(work),
    close: async () => {},
  };
}

/** Whether a skill from elsewhere has the name of one of the user's own: what settings give under that name is for theirs. */
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

/** The catalog of the skills that a frame may call; a request decides which ones when not all fit. */
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
