import {
  AgentError,
  familyOf,
  hashOf,
  optional,
  reasonOf,
  type Approval,
  type ApprovalRequest,
  type Decision,
  type Json,
  type PermissionRequest,
  type PermissionSubject,
  type Skill,
} from '../../core/index.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import { runsCode } from '../../skills/digest/bundle-files.ts';
import type { Call } from '../calls/call.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { Kernel } from '../kernel.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { answerSpace } from '../questions/answers.ts';
import { askPerson } from '../questions/ask.ts';
import { checkTools } from './allow-lists.ts';
import { approvalIn } from './approvals.ts';
import type { Permitted } from './attest.ts';
import { reachedAs } from './tool-lists.ts';

type Question = Extract<Decision, { decision: 'ask' }>;

/** A call that may happen. */
export interface PermittedCall {
  /** The versions of the files of skills for which it may, where the policy looked at them. */
  readonly versions: Permitted;
  /** A person approved this very call, and would be asked about the next one as well. */
  readonly isApproved?: true;
}

/**
 * Resolves when a call may happen, after a person was asked whatever the policy wants to know, one thing after the
 * other; throws `policy.denied`, and `policy.expired` when nobody decided in time.
 */
export async function permitCall(
  execution: Execution,
  caller: Frame,
  target: CallTarget,
  call: Pick<Call, 'key' | 'input' | 'options'>,
): Promise<PermittedCall> {
  const versions = new Map<Skill, string>();
  const seen = await caller.busy(() => permissionRequest(execution, caller, target, call.input, versions));
  const given = new Set<string>();
  const isAllowed = ({ rule, version, pin }: Pick<Question, 'rule' | 'version' | 'pin'>): boolean => {
    const asked = { skill: seen.skill, rule, ...optional('version', version), ...optional('pin', pin) };
    return given.has(identityOf(asked)) || execution.state.isApproved(asked);
  };
  const request = { ...seen, isAllowed };
  checkTools(execution, caller, target.skill, { ...request, asWritten: call.options.asWritten === true });
  for (;;) {
    const decision = await caller.busy(() => decide(execution, request));
    if (decision.decision !== 'ask' || (decision.each !== true && isAllowed(decision))) {
      const isDenied = decision.decision === 'deny';
      await settleOpen(execution, caller, call.key, isDenied ? { deny: decision.reason } : { allow: 'once' });
      if (isDenied) throw denied(request.skill, decision.reason, undefined, decision.hint);
      return { versions };
    }
    if (execution.state.started?.prepares !== undefined) throw denied(request.skill, nobodyToAsk);
    const asks = await openQuestion(execution, caller, call.key, request, decision);
    const approval = await ask(execution, caller, asks, call.options.onWait);
    if ('deny' in approval) throw denied(request.skill, approval.deny, approval.expired);
    if (decision.each === true) return { versions, isApproved: true };
    given.add(identityOf(decision)); // the policy is heard again: the files may have changed, and there may be more to ask
  }
}

const nobodyToAsk = 'A preparation cannot wait for a person. Allow it before, or do it in a call.';

/** What tells a question about a call from any other about it. */
function identityOf(asks: Pick<ApprovalRequest, 'rule' | 'each' | 'version' | 'pin'>): string {
  const { rule, each, version, pin } = asks;
  return JSON.stringify([rule, each === true, version?.digest ?? null, pin?.key ?? null, pin?.hash ?? null]);
}

/** What exactly an approval is for. */
function approvedCall({ skill, input }: ApprovalRequest): Json {
  return { skill, input };
}

type Open = ApprovalRequest & { readonly key: string };

async function ask(
  execution: Execution,
  caller: Frame,
  { key, ...asks }: Open,
  onWait: (() => void) | undefined,
): Promise<Approval> {
  const { now } = execution.kernel;
  const answer = await askPerson(execution, caller, {
    key,
    onWait,
    ...(asks.each === true ? {} : { asks }),
    ...(asks.expires === undefined ? {} : { expiry: { after: asks.expires - now(), outcome: undecided } }),
    request: approvedCall(asks),
    requested: (begun) => ({ type: 'approval.requested', ...begun, asks }),
    resolved: ({ value }) => ({ type: 'approval.resolved', key, answer: approvalIn(value) }),
  });
  return approvalIn(answer);
}

const undecided = { value: { deny: 'Nobody decided in time.', expired: true } } as const;

/**
 * The question to be asked or answered now. Leave for one execution alone, which an earlier process got, is spent; an
 * open question about something else, or about other files, is closed, and no answer to it counts.
 */
async function openQuestion(
  execution: Execution,
  caller: Frame,
  callKey: string,
  { skill, input, caller: by }: PermissionRequest,
  { reason, rule, each, version, pin }: Question,
): Promise<Open> {
  const { state, takenUpAt, journal, kernel } = execution;
  const asks = execution.clean({
    skill,
    input,
    reason,
    rule,
    caller: by?.skill,
    ...optional('each', each),
    ...optional('version', version),
    ...optional('pin', pin),
  }) as unknown as ApprovalRequest;
  for (let time = 1; ; time += 1) {
    const key = approvalKey(callKey, time);
    const known = state.step(caller.id, key);
    if (known === undefined) return { ...asks, key, expires: kernel.now() + kernel.approvalMs };
    const isSame = known.request === hashOf(approvedCall(asks)); // an approval is for exactly this input
    if (!isSame || known.asks === undefined || identityOf(known.asks) !== identityOf(asks)) {
      const answer = { deny: 'What was asked about changed before anybody decided.' };
      if (known.outcome === undefined)
        await caller.busy(() => journal.add(caller.id, { type: 'approval.resolved', key, answer }));
      continue;
    }
    const isSpent = each === true && known.outcome !== undefined && (known.endedAt ?? 0) <= takenUpAt;
    if (!isSpent) return { ...asks, key, ...optional('expires', known.asks.expires) };
  }
}

/** No call has a key by which its first question could be taken for a later one of another call. */
function approvalKey(callKey: string, time: number): string {
  return time === 1 ? `approve:${callKey}` : `approve-again:${time}:${callKey}`;
}

/** A question that an earlier policy left open is settled when the present one needs no answer to it; none that came counts. */
async function settleOpen(
  { state, journal, runId }: Execution,
  caller: Frame,
  callKey: string,
  answer: Approval,
): Promise<void> {
  for (let time = 1; ; time += 1) {
    const key = approvalKey(callKey, time);
    const known = state.step(caller.id, key);
    if (known === undefined) return;
    if (known.outcome !== undefined) continue;
    const unused = { space: answerSpace(runId), key: known.questionId ?? '', value: undefined };
    await caller.busy(() =>
      journal.add(caller.id, { type: 'approval.resolved', key, answer, by: 'policy' }, [unused]),
    );
    return;
  }
}

/** What the policy says to a call; what a skill always asks about is asked each time, whatever any policy allows. */
export async function decide(
  execution: Pick<Execution, 'kernel'>,
  request: PermissionRequest,
): Promise<Decision> {
  const decision = await decideByPolicy(execution, request);
  if (decision.decision === 'deny') return decision;
  const { permission, input, workspace, skill } = request;
  const why = permission.alwaysAsks?.(input, workspace ?? '');
  if (why === undefined) return decision;
  const { reason, rule } = decision.decision === 'ask' ? decision : { reason: '', rule: undefined };
  return {
    decision: 'ask',
    reason: reason === '' ? why : `${why} ${reason}`,
    rule: rule ?? permission.label ?? `Skill(${skill})`,
    each: true,
  };
}

/** One that throws, or says something else than it may, denies. */
async function decideByPolicy(
  { kernel }: Pick<Execution, 'kernel'>,
  request: PermissionRequest,
): Promise<Decision> {
  try {
    const said: Partial<Question> | Decision = await kernel.policy.decide(request);
    if (said.decision === 'allow') return { decision: 'allow' };
    if (said.decision === 'deny')
      return {
        decision: 'deny',
        reason: textOr(said.reason, 'the policy forbids it.'),
        ...optional('hint', (said as Partial<Denial>).hint),
      };
    if (said.decision === 'ask') {
      const reason = textOr(said.reason, 'A person is to decide.');
      const rule = textOr(said.rule, `Skill(${request.skill})`);
      const { each, version, pin } = said;
      const lasting = kernel.policy.remember === undefined ? undefined : version;
      const bound = { ...optional('version', lasting), ...optional('pin', pin) };
      return { decision: 'ask', reason, rule, ...optional('each', each), ...bound };
    }
    return { decision: 'deny', reason: 'the policy gave no decision.' };
  } catch (thrown) {
    return { decision: 'deny', reason: `the policy failed: ${reasonOf(thrown)}.` };
  }
}

function textOr(text: unknown, otherwise: string): string {
  return typeof text === 'string' && text !== '' ? text : otherwise;
}

type Denial = Extract<Decision, { decision: 'deny' }>;

function denied(skill: string, reason: string, expired?: true, hint?: string): AgentError {
  if (expired !== true)
    return new AgentError(
      'policy.denied',
      `Calling "${skill}" was denied: ${reason}`,
      optional('hint', hint),
    );
  return new AgentError('policy.expired', `Calling "${skill}" was not allowed: ${reason}`, {
    hint: 'Run it anew, and decide while it waits.',
  });
}

/** A call as a policy sees it; `looked` gets the digests that it looks at; throws `sandbox.unavailable` where its processes must be contained and cannot. */
export async function permissionRequest(
  { kernel, registry }: Pick<Execution, 'kernel' | 'registry'>,
  { skill: caller, active }: Pick<Frame, 'skill' | 'active'>,
  target: CallTarget,
  input: Json,
  looked = new Map<Skill, string>(),
): Promise<PermissionRequest> {
  const { skill, family, definition } = target;
  const permission = family.permission?.describe?.(definition) ?? {};
  const subject = (one: Skill): PermissionSubject => {
    const name = reachedAs(registry, one);
    return {
      skill: name,
      aliases: name === one.name ? one.aliases : [one.name, ...one.aliases],
      source: one.source,
      dir: one.dir,
      made: one.made !== undefined,
      digest: () => {
        const digest = kernel.digestNow(one);
        if (digest === undefined) looked.delete(one);
        else looked.set(one, digest);
        return digest;
      },
      ...optional('tools', one.card.allowedTools),
    };
  };
  return {
    ...subject(skill),
    family: family.id,
    runsCode: runsCode(skill, family.permission?.runsCode?.(definition) === true),
    permission,
    input,
    workspace: kernel.workspace,
    contained:
      !(permission.runsProcesses === true || permission.runsOwnCode === true) ||
      (await kernel.sandboxes?.contains()) !== false,
    ...optional(
      'caller',
      caller && { ...subject(caller), runsCode: () => canRunCode(kernel, registry, caller) },
    ),
    ...(active.size === 0 ? {} : { active: [...active].map(subject) }),
  };
}

function canRunCode(kernel: Kernel, { families }: Registry, skill: Skill): boolean {
  const family = familyOf(families, skill);
  if (family === undefined) return false;
  const says = family.permission?.runsCode?.(kernel.definitionOf(skill, family)) === true;
  return runsCode(skill, says);
}
