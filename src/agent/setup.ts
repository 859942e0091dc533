import {
  AgentError,
  defaultRunLimits,
  faultOfRule,
  isJsonObject,
  isServerName,
  optional,
  parseRule,
  type Family,
  type Issue,
  type Permissions,
  type RunLimits,
  type SandboxProvider,
  type ServerDescription,
} from '../core/index.ts';
import { checkLimits } from '../run/calls/budget.ts';
import { defaultSkillLimits, type SkillLimits } from '../skills/limits.ts';
import type { Skills } from '../skills/skills.ts';
import type { AgentOptions, Ports, Settings } from './options.ts';

/** Where processes of skills and servers run: what the options give, or what this machine has. */
export function sandboxesOf({ options, ports, setUp }: Lender): SandboxProvider {
  return options.sandboxes ?? ports.openSandboxes(options.sandbox ?? setUp.settings.sandbox ?? 'auto');
}

/** What an agent lends to its runs. */
export interface Lender {
  readonly options: AgentOptions;
  readonly ports: Ports;
  /** What counts at the moment; a reload changes it. */
  readonly setUp: SetUp;
  readonly skills: Skills;
}

/** What options and settings come to. */
export interface SetUp {
  readonly settings: Settings;
  readonly limits: SkillLimits;
  readonly runLimits: RunLimits;
  readonly plugins: readonly string[];
  readonly allowSymlinkTargets: readonly string[];
  /** Findings about the settings files. */
  readonly issues: readonly Issue[];
}

type Limits = SkillLimits & RunLimits;

/** Joins the options with the settings, options first; reads the settings files when the options ask for them. */
export function setUpOf(options: AgentOptions, ports: Ports): SetUp {
  const { settings, issues } = settingsOf(options, ports);
  const tools = options.permissions?.tools ?? [];
  mustBeRules(options.permissions);
  if (options.settings !== true) mustBeRules(settings.permissions, tools); // in a file it is a diagnostic, and blocks runs
  mustBeServers(options.mcpServers);
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

function only(limits: Partial<Limits>, isMeant: (name: string) => boolean): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([name]) => isMeant(name)));
}

/** The families, checked: two of one id could not be told apart. */
export function distinctFamilies(families: readonly Family[]): readonly Family[] {
  const twice = families.find(
    (family, index) => families.findIndex((other) => other.id === family.id) !== index,
  );
  if (twice === undefined) return families;
  throw new AgentError('usage.bad-input', `There are two families with the id "${twice.id}".`, {
    hint: 'Give each family an id of its own.',
  });
}

function settingsOf(options: AgentOptions, ports: Ports): Pick<SetUp, 'settings' | 'issues'> {
  if (typeof options.settings === 'object') return { settings: options.settings, issues: [] };
  return options.settings === true ? ports.readSettings(options.startDir) : { settings: {}, issues: [] };
}

/** Throws `usage.bad-input` for what describes no servers, which types alone do not keep away, and for servers that could not be named, or told apart. */
function mustBeServers(servers: readonly ServerDescription[] = []): void {
  const given: unknown = servers;
  if (!Array.isArray(given)) throw noDescription('mcpServers is not a list.');
  const broken = servers.findIndex((server: unknown) => !isDescription(server));
  if (broken >= 0) throw noDescription(`Number ${broken + 1} of mcpServers does not describe a server.`);
  const names = servers.map(({ name }) => name);
  const wrong = names.find((name) => !isServerName(name));
  if (wrong !== undefined)
    throw new AgentError('usage.bad-input', `"${wrong}" is not the name of a server.`, {
      hint: 'Use letters, digits, hyphens and single underscores.',
    });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new AgentError('usage.bad-input', `There are two servers with the name "${twice}".`, {
      hint: 'Give each server a name of its own.',
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

/** A finding for each server of the settings that does not count, because the options have one of its name. */
function findHiddenServers(
  own: readonly ServerDescription[] = [],
  inSettings: readonly ServerDescription[] = [],
): readonly Issue[] {
  return inSettings
    .filter(({ name }) => own.some((other) => other.name === name))
    .map(({ name }) => ({
      level: 'warning',
      code: 'server.duplicate',
      message: `The server "${name}" is described twice; the one in the options counts.`,
      hint: 'Give one of them another name, or take it out.',
    }));
}

/**
 * Throws `usage.bad-input` for a rule that denies or asks and can never mean a call: misspelt, it would silently forbid
 * nothing. One that allows and names an unknown tool allows nothing, and only has to have the form of a rule.
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
          hint: `${fault.hint} Words of tools that your program registers belong into permissions.tools.`,
          details: { key: `permissions.${kind}.${index}`, rule: fault.rule, near: [...fault.near] },
        },
      );
    }
  }
}

/** Throws `usage.bad-settings` for the first setting without which runs would be less safe than their user meant. */
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
