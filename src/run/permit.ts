import { AgentError, reasonOf } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import type { Approval, ApprovalRequest, Decision, PermissionRequest } from '../core/policy.ts';
import type { Skill } from '../core/skill.ts';
import { askPerson } from './ask-person.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import type { Target } from './resolve.ts';

/** Resolves when a call may happen, after a person was asked where the policy says so; throws `policy.denied`. */
export async function permitCall(
  execution: Execution,
  caller: Frame,
  target: Target,
  call: { readonly key: string; readonly input: Json },
): Promise<void> {
  const request = requestOf(caller, target, call.input);
  const decision = await caller.busy(() => decide(execution, request));
  const isEach = decision.decision === 'ask' && decision.each === true;
  const key = isEach ? freshKey(execution, caller, call.key) : `approve:${call.key}`;
  if (decision.decision !== 'ask' || (!isEach && execution.state.isApproved(decision.rule))) {
    const isDenied = decision.decision === 'deny';
    await settleOpen(execution, caller, key, isDenied ? { deny: decision.reason } : { allow: 'once' });
    if (isDenied) throw denied(target.skill, decision.reason);
    return;
  }
  const asks = execution.clean({
    skill: request.skill,
    input: request.input,
    reason: decision.reason,
    rule: decision.rule,
    caller: request.caller,
    ...(isEach ? { each: true } : {}),
  }) as unknown as ApprovalRequest;
  const answer = await askPerson(execution, caller, {
    key,
    ...(isEach ? {} : { rule: decision.rule }),
    request: { skill: asks.skill, input: asks.input },
    requested: (begun) => ({ type: 'approval.requested', ...begun, asks }),
    resolved: (given) => ({ type: 'approval.resolved', key, answer: given as unknown as Approval }),
  });
  const approval = answer as unknown as Approval;
  if ('deny' in approval) throw denied(target.skill, approval.deny);
}

/** Leave for one execution alone, which an earlier process got, is spent: this one would be another. */
function freshKey({ state, takenUpAt }: Execution, caller: Frame, callKey: string): string {
  for (let time = 1; ; time += 1) {
    const key = time === 1 ? `approve:${callKey}` : `approve:${callKey}:${time}`;
    const known = state.step(caller.id, key);
    if (known?.outcome === undefined || (known.endedAt ?? 0) > takenUpAt) return key;
  }
}

/** A question that an earlier policy left open is settled when the present one needs no answer to it. */
async function settleOpen(execution: Execution, caller: Frame, key: string, answer: Approval): Promise<void> {
  const known = execution.state.step(caller.id, key);
  if (known === undefined || known.outcome !== undefined) return;
  await caller.busy(() =>
    execution.journal.add(caller.id, { type: 'approval.resolved', key, answer, by: 'policy' }),
  );
}

/** Throws `policy.denied` for a skill that its caller may not call: an explicit list is the whole list; without one, everything may be called. */
export function checkAllowList({ registry }: Execution, { skill: caller }: Frame, skill: Skill): void {
  const allowed = caller?.card.allowedSkills;
  if (caller === undefined || allowed === undefined) return;
  if (allowed.some((name) => registry.lookup.find(name) === skill)) return;
  const hint =
    caller.file === '' ? undefined : `Add it to the allowed skills of ${caller.name} (${caller.file}).`;
  throw new AgentError(
    'policy.denied',
    `"${caller.name}" may not call "${skill.name}".`,
    hint === undefined ? {} : { hint },
  );
}

function requestOf(caller: Frame, { skill, family, definition }: Target, input: Json): PermissionRequest {
  return {
    skill: skill.name,
    family: family.id,
    source: skill.source,
    made: skill.made !== undefined,
    runsCode: family.runsCode === true,
    permission: family.permission?.(definition) ?? {},
    input,
    ...(caller.skill === undefined ? {} : { caller: caller.skill.name }),
  };
}

/** A policy that throws, or says something else than it may, denies. */
async function decide({ kernel }: Execution, request: PermissionRequest): Promise<Decision> {
  try {
    const said: Partial<Decision> = await kernel.policy.decide(request);
    if (said.decision === 'allow') return { decision: 'allow' };
    if (said.decision === 'deny')
      return { decision: 'deny', reason: textOr(said.reason, 'the policy forbids it.') };
    if (said.decision === 'ask') {
      const reason = textOr(said.reason, 'A person is to decide.');
      const rule = textOr(said.rule, `Skill(${request.skill})`);
      return { decision: 'ask', reason, rule, ...(said.each === true ? { each: true } : {}) };
    }
    return { decision: 'deny', reason: 'the policy gave no decision.' };
  } catch (thrown) {
    return { decision: 'deny', reason: `the policy failed: ${reasonOf(thrown)}.` };
  }
}

function textOr(text: unknown, otherwise: string): string {
  return typeof text === 'string' && text !== '' ? text : otherwise;
}

function denied(skill: Skill, reason: string): AgentError {
  return new AgentError('policy.denied', `Calling "${skill.name}" was denied: ${reason}`);
}
