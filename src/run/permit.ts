import { AgentError, reasonOf } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import { optional } from '../core/optional.ts';
import type { Approval, ApprovalRequest, Decision, PermissionRequest, SkillVersion } from '../core/policy.ts';
import { askPerson } from './ask-person.ts';
import { checkTools } from './check-lists.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { permissionRequest } from './permission-request.ts';
import type { Target } from './resolve.ts';

type Question = Extract<Decision, { decision: 'ask' }>;

/**
 * Resolves when a call may happen, after a person was asked where the policy says so; throws `policy.denied`, and
 * `policy.expired` when nobody decided in time.
 */
export async function permitCall(
  execution: Execution,
  caller: Frame,
  target: Target,
  call: { readonly key: string; readonly input: Json },
): Promise<void> {
  const request = await caller.busy(() => permissionRequest(execution, caller, target, call.input));
  checkTools(caller, request);
  for (;;) {
    const decision = await caller.busy(() => decide(execution, request));
    if (decision.decision !== 'ask' || isApproved(execution, decision)) {
      const isDenied = decision.decision === 'deny';
      await settleOpen(execution, caller, call.key, isDenied ? { deny: decision.reason } : { allow: 'once' });
      if (isDenied) throw denied(request.skill, decision.reason);
      return;
    }
    const key = await openKey(execution, caller, call.key, decision);
    const approval = await ask(execution, caller, key, request, decision);
    if ('deny' in approval) throw denied(request.skill, approval.deny, approval.expired);
    if (isStill(request, decision.version)) return; // else the files changed while somebody decided
  }
}

function isApproved({ state }: Execution, { each, rule, version }: Question): boolean {
  return each !== true && state.isApproved(rule, version);
}

async function ask(
  execution: Execution,
  caller: Frame,
  key: string,
  request: PermissionRequest,
  { reason, rule, each, version }: Question,
): Promise<Approval> {
  const { now, approvalMs } = execution.kernel;
  const known = execution.state.step(caller.id, key)?.asks;
  const asks = execution.clean({
    ...{ skill: request.skill, input: request.input, reason, rule, caller: request.caller?.skill },
    ...optional('each', each),
    ...optional('version', version),
    expires: known === undefined ? now() + approvalMs : known.expires,
  }) as unknown as ApprovalRequest;
  const answer = await askPerson(execution, caller, {
    key,
    ...(each === true ? {} : { asks }),
    ...optional('expiresIn', asks.expires === undefined ? undefined : asks.expires - now()),
    request: { skill: asks.skill, input: asks.input },
    requested: (begun) => ({ type: 'approval.requested', ...begun, asks }),
    resolved: (given) => ({ type: 'approval.resolved', key, answer: given as unknown as Approval }),
  });
  return answer as unknown as Approval;
}

/**
 * The key of the question to be asked or answered now. Leave for one execution alone, which an earlier process got, is
 * spent; a question about other files than those of today is closed, and no answer to it counts.
 */
async function openKey(
  execution: Execution,
  caller: Frame,
  callKey: string,
  { each, version }: Question,
): Promise<string> {
  const { state, takenUpAt, journal } = execution;
  for (let time = 1; ; time += 1) {
    const key = approvalKey(callKey, time);
    const known = state.step(caller.id, key);
    if (known === undefined) return key;
    if (known.asks?.version?.digest !== version?.digest) {
      const answer = { deny: 'The files of the skill changed before anybody decided.' };
      if (known.outcome === undefined)
        await caller.busy(() => journal.add(caller.id, { type: 'approval.resolved', key, answer }));
      continue;
    }
    const isSpent = each === true && known.outcome !== undefined && (known.endedAt ?? 0) <= takenUpAt;
    if (!isSpent) return key;
  }
}

function approvalKey(callKey: string, time: number): string {
  return time === 1 ? `approve:${callKey}` : `approve:${callKey}:${time}`;
}

/** A question that an earlier policy left open is settled when the present one needs no answer to it. */
async function settleOpen(
  { state, journal }: Execution,
  caller: Frame,
  callKey: string,
  answer: Approval,
): Promise<void> {
  for (let time = 1; ; time += 1) {
    const key = approvalKey(callKey, time);
    const known = state.step(caller.id, key);
    if (known === undefined) return;
    if (known.outcome !== undefined) continue;
    await caller.busy(() =>
      journal.add(caller.id, { type: 'approval.resolved', key, answer, by: 'policy' }),
    );
    return;
  }
}

/** Whether the files that a decision was about are as they were. */
function isStill(request: PermissionRequest, version: SkillVersion | undefined): boolean {
  if (version === undefined) return true;
  const subject = [request, request.caller].find((one) => one?.skill === version.skill);
  return subject?.digest() === version.digest;
}

/** A policy that throws, or says something else than it may, denies. */
async function decide({ kernel }: Execution, request: PermissionRequest): Promise<Decision> {
  try {
    const said: Partial<Question> | Decision = await kernel.policy.decide(request);
    if (said.decision === 'allow') return { decision: 'allow' };
    if (said.decision === 'deny')
      return { decision: 'deny', reason: textOr(said.reason, 'the policy forbids it.') };
    if (said.decision === 'ask') {
      const reason = textOr(said.reason, 'A person is to decide.');
      const rule = textOr(said.rule, `Skill(${request.skill})`);
      const { each, version } = said;
      const lasting = kernel.policy.remember === undefined ? undefined : version;
      return { decision: 'ask', reason, rule, ...optional('each', each), ...optional('version', lasting) };
    }
    return { decision: 'deny', reason: 'the policy gave no decision.' };
  } catch (thrown) {
    return { decision: 'deny', reason: `the policy failed: ${reasonOf(thrown)}.` };
  }
}

function textOr(text: unknown, otherwise: string): string {
  return typeof text === 'string' && text !== '' ? text : otherwise;
}

function denied(skill: string, reason: string, expired?: true): AgentError {
  if (expired !== true) return new AgentError('policy.denied', `Calling "${skill}" was denied: ${reason}`);
  return new AgentError('policy.expired', `Calling "${skill}" was not allowed: ${reason}`, {
    hint: 'Run it anew, and decide while it waits.',
  });
}
