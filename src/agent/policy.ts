import {
  AgentError,
  findUnmatchedRules,
  type Issue,
  type Permissions,
  type Policy,
  type Skill,
} from '../core/index.ts';
import { isBelieved } from '../run/permissions/skill-files.ts';
import type { Skills } from '../skills/skills.ts';
import { knownServers } from './servers/open-server.ts';
import type { Lender, SetUp } from './setup.ts';

/** The policy that the options name, else that of the rules which count at the moment: a reload of the settings changes them. */
export function currentPolicy(lender: Lender): Policy {
  const { options } = lender;
  if (options.policy !== undefined) return options.policy;
  let made: { readonly for: SetUp; readonly policy: Policy } | undefined;
  const current = (): Policy => {
    const { setUp } = lender;
    if (made?.for !== setUp) made = { for: setUp, policy: policyOf(lender) };
    return made.policy;
  };
  return {
    decide: (request) => current().decide(request),
    remember: (leave) => current().remember?.(leave),
    inherit: (from, to) => current().inherit?.(from, to),
    trusts: (subject) => current().trusts?.(subject) === true,
  };
}

/** Rules of the options and of the settings count alike; what denies goes before what allows wherever it stands. */
function policyOf(lender: Lender): Policy {
  const { options, ports } = lender;
  const trustFile = options.trustFile ?? (options.settings === true ? ports.trustFile : undefined);
  return ports.openPolicy(rulesOf(lender), trustFile);
}

/** Diagnostics for rules that mean nothing among these skills and the servers that are described. */
export function unmatchedRules(lender: Lender, skills: readonly Skill[]): readonly Issue[] {
  if (lender.options.policy !== undefined) return []; // rules do not count then
  return findUnmatchedRules(rulesOf(lender), {
    skills,
    servers: knownServers(lender).map(({ name }) => name),
  });
}

function rulesOf({ options, setUp }: Lender): Permissions {
  const own = options.permissions ?? {};
  const more = setUp.settings.permissions ?? {};
  const joined = (kind: 'allow' | 'ask' | 'deny'): readonly string[] => [
    ...(own[kind] ?? []),
    ...(more[kind] ?? []),
  ];
  return { allow: joined('allow'), ask: joined('ask'), deny: joined('deny') };
}

/** Throws `policy.denied` for a skill of a server that nobody trusts as it is: its text goes into no prompt, not even without a call. */
export function mustBeTrusted(
  policy: Pick<Policy, 'trusts'>,
  skills: Pick<Skills, 'digestNow'>,
  skill: Skill,
): void {
  const { name, file } = skill;
  if (isBelieved({ policy, digestNow: (one) => skills.digestNow(one) }, skill)) return;
  throw new AgentError('policy.denied', `"${name}" comes from a server, and nobody trusts it as it is now.`, {
    hint: `Read ${file}, then run \`skilled trust grant ${name}\`.`,
  });
}
