import {
  AgentError,
  checkRules,
  type Issue,
  type Permissions,
  type Policy,
  type Skill,
  type TrustSubject,
} from '../core/index.ts';
import { isTextTrusted } from '../run/permissions/skill-files.ts';
import type { Skills } from '../skills/skills.ts';
import { knownServers } from './servers/open-server.ts';
import type { AgentContext, SetUp } from './setup.ts';

/**
 * Returns the policy from the options or, if there is none, a policy that always applies the current rules,
 * which can change when the settings are reloaded.
 */
export function currentPolicy(context: AgentContext): Policy {
  const { options } = context;
  if (options.policy !== undefined) return options.policy;
  const project = options.trust === 'project' ? createProjectTrust(context.skills) : undefined;
  let cached: { readonly for: SetUp; readonly policy: Policy } | undefined;
  const current = (): Policy => {
    const { setUp } = context;
    if (cached?.for !== setUp) cached = { for: setUp, policy: policyOf(context, project) };
    return cached.policy;
  };
  return {
    decide: (request) => {
      project?.begin();
      return current().decide(request);
    },
    remember: (approval) => current().remember?.(approval),
    inherit: (from, to) => {
      project?.inherit(from, to.digest);
      return current().inherit?.(from, to);
    },
    trusts: (subject) => current().trusts?.(subject) === true,
  };
}

/** The trust of a program in the skills of its project. */
interface ProjectTrust {
  /** Records the versions of all skills of the project, before the agent's first call. */
  begin(): void;
  /** Whether a skill belongs to the project and its files are as they were before the first call. */
  trustsSkill(skill: TrustSubject): boolean;
  /** Extends the trust to files that were generated from a trusted version of a skill. */
  inherit(from: string, to: string): void;
}

/**
 * Creates the trust in a project's skills. It covers the versions before the agent's first call, so that a run
 * that changes or adds a skill gains nothing.
 */
function createProjectTrust(skills: Pick<Skills, 'list' | 'digestNow'>): ProjectTrust {
  let known: Set<string> | undefined;
  const trusted = (): Set<string> => {
    if (known !== undefined) return known;
    const own = skills.list().filter(({ source }) => source === 'project');
    return (known = new Set(own.flatMap((skill) => skills.digestNow(skill) ?? [])));
  };
  return {
    begin: () => void trusted(),
    trustsSkill({ source, digest }) {
      const now = source === 'project' ? digest() : undefined;
      return now !== undefined && trusted().has(now);
    },
    inherit(from, to) {
      if (trusted().has(from)) trusted().add(to);
    },
  };
}

/** Combines the rules from the options and the settings. A deny rule from either wins over an allow rule. */
function policyOf(context: AgentContext, project: ProjectTrust | undefined): Policy {
  const { options, ports } = context;
  const trustFile = options.trustFile ?? (options.settings === true ? ports.trustFile : undefined);
  return ports.openPolicy(rulesOf(context), trustFile, project?.trustsSkill.bind(project));
}

/**
 * Returns an issue for each rule that matches no skill and no configured server, or that uses an earlier name
 * of the assistant.
 */
export function ruleIssues(context: AgentContext, skills: readonly Skill[]): readonly Issue[] {
  if (context.options.policy !== undefined) return []; // A custom policy replaces all rules.
  return checkRules(rulesOf(context), {
    skills,
    servers: knownServers(context).map(({ name }) => name),
    positions: context.setUp.settings.rulePositions,
  });
}

function rulesOf({ options, setUp }: AgentContext): Permissions {
  const own = options.permissions ?? {};
  const more = setUp.settings.permissions ?? {};
  const joined = (kind: 'allow' | 'ask' | 'deny'): readonly string[] => [
    ...(own[kind] ?? []),
    ...(more[kind] ?? []),
  ];
  return { allow: joined('allow'), ask: joined('ask'), deny: joined('deny') };
}

/**
 * Throws `policy.denied` if the current version of a server's skill is not trusted. The text of such a skill
 * must not be added to a prompt, even if the skill is not called.
 */
export function mustBeTrusted(
  policy: Pick<Policy, 'trusts'>,
  skills: Pick<Skills, 'digestNow'>,
  skill: Skill,
): void {
  const { name, file } = skill;
  if (isTextTrusted({ policy, digestNow: (one) => skills.digestNow(one) }, skill)) return;
  throw new AgentError(
    'policy.denied',
    `"${name}" comes from a server, and its current version is not trusted.`,
    {
      hint: `Read ${file}, then run \`skilled trust grant ${name}\`.`,
    },
  );
}
