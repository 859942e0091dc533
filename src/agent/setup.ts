import {
  AgentError,
  currentFamily,
  defaultRunLimits,
  faultOfRule,
  isJsonObject,
  isServerName,
  optional,
  parseRule,
  renamedMembers,
  warnRenamed,
  type Database,
  type Family,
  type Issue,
  type JsonObject,
  type Permissions,
  type RunLimits,
  type SandboxProvider,
  type ServerDescription,
} from '../core/index.ts';
import { checkLimits } from '../run/calls/budget.ts';
import { binariesOn, type Binaries, type World } from '../skills/eligibility/eligibility.ts';
import { variable } from '../skills/eligibility/environment.ts';
import { defaultSkillLimits, type SkillLimits } from '../skills/limits.ts';
import type { Skills } from '../skills/skills.ts';
import type { AgentOptions, Ports, Settings } from './options.ts';
import type { ProjectInstructions } from './project-instructions.ts';

/**
 * Returns the sandboxes for skills' and servers' processes: those from the options or, by default, this
 * machine's.
 */
export function sandboxesOf({ options, ports, setUp }: AgentContext): SandboxProvider {
  const { sandboxes: given } = options;
  if (given === undefined) return ports.openSandboxes(options.sandbox ?? setUp.settings.sandbox ?? 'auto');
  return {
    contains: () => given.contains(),
    open: (grant) => given.open(Object.defineProperties({ ...grant }, grantMembers)),
  };
}

const grantMembers = renamedMembers({ keep: 'readOnly' }, 'Grant');

/** Returns a database's location. Databases implemented for release 0.1 name this property `place`. */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- accepted until the next release
export function locationOf({ location, place }: Partial<Database>): string {
  if (location !== undefined || place === undefined) return location ?? '';
  warnRenamed('Database.place', 'Database.location');
  return place;
}

/** Everything that an agent shares with its runs. */
export interface AgentContext {
  readonly options: AgentOptions;
  readonly ports: Ports;
  /** The current setup. A reload replaces it. */
  readonly setUp: SetUp;
  readonly skills: Skills;
  readonly instructions: ProjectInstructions;
}

/** The combined options and settings. */
export interface SetUp {
  readonly settings: Settings;
  readonly limits: SkillLimits;
  readonly runLimits: RunLimits;
  readonly plugins: readonly string[];
  readonly allowSymlinkTargets: readonly string[];
  /** Issues in the settings files. */
  readonly issues: readonly Issue[];
}

/**
 * Returns the properties of the machine and the settings against which skills' eligibility is checked. The
 * getters always read the current settings, even after a reload.
 */
export function worldOf(ports: Ports, binaries: Binaries, setUp: () => SetUp): World {
  return {
    platform: ports.platform,
    environment: ports.environment,
    hasBinary: (name) => binaries.has(name),
    get skills() {
      return setUp().settings.skills ?? {};
    },
    get settings() {
      const { settings } = setUp();
      return settings.all ?? (settings as JsonObject);
    },
  };
}

/** Returns the programs on this machine's PATH. */
export function binariesOf({ environment, platform }: Ports): Binaries {
  const extensions =
    platform === 'win32' ? (variable(environment, 'PATHEXT') ?? '.EXE;.CMD;.BAT').split(';') : [''];
  return binariesOn(() => variable(environment, 'PATH') ?? '', extensions);
}

type Limits = SkillLimits & RunLimits;

/**
 * Merges the options with the settings; options take precedence. Reads the settings files if
 * `options.settings` is true.
 */
export function setUpOf(options: AgentOptions, ports: Ports): SetUp {
  const { settings, issues } = settingsOf(options, ports);
  const tools = options.permissions?.tools ?? [];
  mustBeRules(options.permissions);
  // An invalid rule in a settings file does not throw. It is reported as an issue and blocks runs.
  if (options.settings !== true) mustBeRules(settings.permissions, tools);
  mustBeServers(options.mcpServers);
  for (const given of [options, settings]) {
    mustBeSessionType(given.fallbackSessionType);
    mustBeAssistantMode(given.assistant);
  }
  const given = { ...checkLimits(settings.limits), ...checkLimits(options.limits) };
  return {
    settings,
    limits: { ...defaultSkillLimits, ...only(given, (name) => name in defaultSkillLimits) },
    runLimits: { ...defaultRunLimits, ...only(given, (name) => !(name in defaultSkillLimits)) },
    plugins: [...(options.plugins ?? []), ...(settings.plugins ?? [])],
    allowSymlinkTargets: [...(settings.allowSymlinkTargets ?? []), ...(options.allowSymlinkTargets ?? [])],
    issues: [...issues, ...findHiddenServers(options.mcpServers, settings.servers)],
  };
}

/** Throws `usage.bad-input` for an invalid assistant mode, which only an untyped program can pass. */
export function mustBeAssistantMode(mode: unknown): void {
  if (mode === undefined || mode === null || mode === 'open' || mode === 'skills-only') return;
  throw new AgentError(
    'usage.bad-input',
    `assistant must be "open" or "skills-only", not ${JSON.stringify(mode)}.`,
    {
      hint: "Use 'open' to answer without a skill, or 'skills-only' to use skills alone.",
      details: { key: 'assistant' },
    },
  );
}

/** Throws `usage.bad-input` for an invalid session type, which only an untyped program can pass. */
function mustBeSessionType(type: unknown): void {
  if (type === undefined || type === null || type === 'loop' || type === 'sop') return;
  throw new AgentError(
    'usage.bad-input',
    `fallbackSessionType must be "loop" or "sop", not ${JSON.stringify(type)}.`,
    {
      hint: "Use 'loop' to work step by step, or 'sop' to write a plan first.",
      details: { key: 'fallbackSessionType' },
    },
  );
}

function only(limits: Partial<Limits>, isMeant: (name: string) => boolean): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([name]) => isMeant(name)));
}

/** Throws `usage.bad-input` if two families have the same id. */
export function distinctFamilies(families: readonly Family[]): readonly Family[] {
  const twice = families.find(
    (family, index) => families.findIndex((other) => other.id === family.id) !== index,
  );
  if (twice === undefined) return families.map(currentFamily);
  throw new AgentError('usage.bad-input', `Two skill families have the id "${twice.id}".`, {
    hint: 'Use a different id for each family.',
  });
}

function settingsOf(options: AgentOptions, ports: Ports): Pick<SetUp, 'settings' | 'issues'> {
  if (typeof options.settings === 'object') return { settings: options.settings, issues: [] };
  return options.settings === true ? ports.readSettings(options.startDir) : { settings: {}, issues: [] };
}

/**
 * Throws `usage.bad-input` for server descriptions that do not match their type, and for invalid or duplicate
 * server names.
 */
function mustBeServers(servers: readonly ServerDescription[] = []): void {
  const given: unknown = servers;
  if (!Array.isArray(given)) throw noDescription('mcpServers must be a list.');
  const broken = servers.findIndex((server: unknown) => !isDescription(server));
  if (broken >= 0) throw noDescription(`Entry ${broken + 1} of mcpServers is not a server description.`);
  const names = servers.map(({ name }) => name);
  const wrong = names.find((name) => !isServerName(name));
  if (wrong !== undefined)
    throw new AgentError('usage.bad-input', `"${wrong}" is not a valid server name.`, {
      hint: 'Use letters, digits, hyphens and single underscores.',
    });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new AgentError('usage.bad-input', `Two servers have the name "${twice}".`, {
      hint: 'Use a different name for each server.',
    });
}

function isDescription(server: unknown): boolean {
  const { kind, command, args, env, url, headers } = (server ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'http') return typeof url === 'string' && isJsonObject(headers);
  return kind === 'stdio' && typeof command === 'string' && Array.isArray(args) && isJsonObject(env);
}

function noDescription(message: string): AgentError {
  return new AgentError('usage.bad-input', message, {
    hint: "Write [{ kind: 'stdio', name, command, args, env }], or [{ kind: 'http', name, url, headers }].",
  });
}

/**
 * Returns an issue for each server in the settings that is overridden by a server with the same name in the
 * options.
 */
function findHiddenServers(
  own: readonly ServerDescription[] = [],
  inSettings: readonly ServerDescription[] = [],
): readonly Issue[] {
  return inSettings
    .filter(({ name }) => own.some((other) => other.name === name))
    .map(({ name }) => ({
      level: 'warning',
      code: 'server.duplicate',
      message: `The server "${name}" is configured twice; the one in the options is used.`,
      hint: 'Rename or remove one of the servers.',
    }));
}

/**
 * Throws `usage.bad-input` for a deny or ask rule that can never match a call, because a mistyped rule would
 * silently protect nothing. For allow rules, checks only the syntax, because a mistyped allow rule is
 * harmless.
 */
function mustBeRules(permissions: Permissions = {}, tools: readonly string[] = []): void {
  for (const kind of ['deny', 'ask', 'allow'] as const) {
    for (const [index, rule] of ((permissions[kind] ?? []) as readonly unknown[]).entries()) {
      const fault = faultOfRule(rule, [...tools, ...(permissions.tools ?? [])]);
      if (fault === undefined) continue;
      if (kind === 'allow' && typeof rule === 'string' && parseRule(rule) !== undefined) continue;
      throw new AgentError(
        'usage.bad-input',
        `${JSON.stringify(rule)} in permissions.${kind} must be ${fault.expected}.`,
        {
          hint: `${fault.hint} In permissions.tools, list the tools that your program registers.`,
          details: { key: `permissions.${kind}.${index}`, rule: fault.rule, near: [...fault.near] },
        },
      );
    }
  }
}

/**
 * Throws `usage.bad-settings` for the first problem in the settings that would make runs less safe than
 * intended.
 */
export function mustNotBlock(issues: readonly Issue[], tools: readonly string[] = []): void {
  const blocking = issues.filter(
    ({ details }) => details?.['blocksRuns'] === true && !isOneOf(details['tool'], tools),
  );
  const [first] = blocking;
  if (first === undefined) return;
  const { file = '', line, message, hint, details } = first;
  const where = line === undefined ? file : `${file}:${line}`;
  throw new AgentError('usage.bad-settings', `${where}: ${message}`, {
    ...optional('hint', hint),
    details: { file, ...optional('line', line), ...details, count: blocking.length },
  });
}

function isOneOf(tool: unknown, tools: readonly string[]): boolean {
  return typeof tool === 'string' && tools.some((one) => one.toLowerCase() === tool.toLowerCase());
}
