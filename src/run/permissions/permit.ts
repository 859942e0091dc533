import {
  AgentError,
  familyOf,
  hashOf,
  optional,
  reasonOf,
  renamedMembers,
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
import { preApprovedTools, reachedAs } from './tool-lists.ts';

type Question = Extract<Decision, { decision: 'ask' }>;

/** A call that is allowed. */
export interface PermittedCall {
  /** The allowed versions of skill files. Empty if the policy did not check files. */
  readonly versions: Permitted;
  /** Set if the user approved only this call. */
  readonly isApproved?: true;
}

/** Resolves once a call is allowed. Throws `policy.denied` or, without a decision in time, `policy.expired`. */
export async function permitCall(
  execution: Execution,
  caller: Frame,
  target: CallTarget,
  call: Pick<Call, 'key' | 'input' | 'options'>,
): Promise<PermittedCall> {
  const versions = new Map<Skill, string>();
  const base = await caller.busy(() => permissionRequest(execution, caller, target, call.input, versions));
  const given = new Set<string>();
  const isAllowed = ({ rule, version, pin }: Pick<Question, 'rule' | 'version' | 'pin'>): boolean => {
    const asked = { skill: base.skill, rule, ...optional('version', version), ...optional('pin', pin) };
    return given.has(identityOf(asked)) || execution.state.isApproved(asked);
  };
  const request = { ...base, isAllowed };
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
    // Ask the policy again, because it may require another approval.
    given.add(identityOf(decision));
  }
}

const nobodyToAsk =
  'A skill cannot wait for a person while it is being prepared. Allow this in advance, or do it during a call.';

/** Returns a string that identifies a question among all questions about a call. */
function identityOf(asks: Pick<ApprovalRequest, 'rule' | 'each' | 'version' | 'pin'>): string {
  const { rule, each, version, pin } = asks;
  return JSON.stringify([rule, each === true, version?.digest ?? null, pin?.key ?? null, pin?.hash ?? null]);
}

/** Returns the skill and the input that an approval applies to. */
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

const undecided = { value: { deny: 'No decision was made in time.', expired: true } } as const;

/**
 * Asks for an approval, or waits for the open request. One-time approvals from an earlier process are no
 * longer valid. Closes open requests about anything else, such as other files.
 */
async function openQuestion(
  execution: Execution,
  caller: Frame,
  callKey: string,
  { skill, input, caller: by }: PermissionRequest,
  { reason, rule, each, version, pin }: Question,
): Promise<Open> {
  const { state, resumedAt, journal, kernel } = execution;
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
    // The approval applies only to this exact skill and input.
    const isSame = known.request === hashOf(approvedCall(asks));
    if (!isSame || known.asks === undefined || identityOf(known.asks) !== identityOf(asks)) {
      const answer = { deny: 'The request changed before a decision was made.' };
      if (known.outcome === undefined)
        await caller.busy(() => journal.add(caller.id, { type: 'approval.resolved', key, answer }));
      continue;
    }
    const isSpent = each === true && known.outcome !== undefined && (known.endedAt ?? 0) <= resumedAt;
    if (!isSpent) return { ...asks, key, ...optional('expires', known.asks.expires) };
  }
}

/** Returns the key of an approval request. No two requests of a call share a key. */
function approvalKey(callKey: string, time: number): string {
  return time === 1 ? `approve:${callKey}` : `approve-again:${time}:${callKey}`;
}

/** Closes an open approval request that an earlier policy required, even if the request has been answered. */
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

/** Returns the policy's decision. If the skill requires confirmation, an allowed call becomes a question. */
export async function decide(
  execution: Pick<Execution, 'kernel'>,
  request: PermissionRequest,
): Promise<Decision> {
  const decision = await decideByPolicy(execution, request);
  if (decision.decision === 'deny') return decision;
  const { permission, input, workspace, skill } = request;
  const why = await permission.alwaysAsks?.(input, workspace ?? '');
  if (why === undefined) return decision;
  const { reason, rule } = decision.decision === 'ask' ? decision : { reason: '', rule: undefined };
  return {
    decision: 'ask',
    reason: reason === '' ? why : `${why} ${reason}`,
    rule: rule ?? permission.label ?? `Skill(${skill})`,
    each: true,
  };
}

/** Returns the policy's decision. If the policy throws or its decision is invalid, the call is denied. */
async function decideByPolicy(
  { kernel }: Pick<Execution, 'kernel'>,
  request: PermissionRequest,
): Promise<Decision> {
  try {
    const said: Partial<Question> | Decision = await kernel.policy.decide(withEarlierNames(request));
    if (said.decision === 'allow') return { decision: 'allow' };
    if (said.decision === 'deny')
      return {
        decision: 'deny',
        reason: textOr(said.reason, 'the policy forbids it.'),
        ...optional('hint', (said as Partial<Extract<Decision, { decision: 'deny' }>>).hint),
      };
    if (said.decision === 'ask') {
      const reason = textOr(said.reason, 'A person must decide.');
      const rule = textOr(said.rule, `Skill(${request.skill})`);
      const { each, version, pin } = said;
      const lasting = kernel.policy.remember === undefined ? undefined : version;
      const bound = { ...optional('version', lasting), ...optional('pin', pin) };
      return { decision: 'ask', reason, rule, ...optional('each', each), ...bound };
    }
    return { decision: 'deny', reason: 'the policy returned no decision.' };
  } catch (thrown) {
    return { decision: 'deny', reason: `the policy failed: ${reasonOf(thrown)}.` };
  }
}

const subjectNames = { made: 'isDefinedInCode' };
const subjectMembers = renamedMembers(subjectNames, 'PermissionSubject');
const requestMembers = renamedMembers({ ...subjectNames, contained: 'isSandboxed' }, 'PermissionRequest');

/** Returns the request with additional properties under the names that release 0.1 used. */
function withEarlierNames(request: PermissionRequest): PermissionRequest {
  for (const subject of [request.caller, ...(request.active ?? [])])
    if (subject !== undefined) Object.defineProperties(subject, subjectMembers);
  return Object.defineProperties({ ...request }, requestMembers);
}

function textOr(text: unknown, otherwise: string): string {
  return typeof text === 'string' && text.trim() !== '' ? text : otherwise;
}

function denied(skill: string, reason: string, expired?: true, hint?: string): AgentError {
  if (expired !== true)
    return new AgentError('policy.denied', `Calling "${skill}" was denied: ${reason}`, {
      ...optional('hint', hint),
      details: { denied: reason },
    });
  return new AgentError('policy.expired', `Calling "${skill}" was not allowed: ${reason}`, {
    hint: 'Run the skill again, and decide while it waits.',
  });
}

/** Builds a policy request. Throws `sandbox.unavailable` if a required sandbox is missing. */
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
      source: one.source,
      dir: one.dir,
      ...optional('isInstalled', one.isInstalled),
      skill: name,
      aliases: name === one.name ? one.aliases : [one.name, ...one.aliases],
      isDefinedInCode: one.codeDefinition !== undefined,
      digest: () => {
        const digest = kernel.digestNow(one);
        looked.delete(one);
        if (digest !== undefined) looked.set(one, digest);
        return digest;
      },
      ...optional('tools', preApprovedTools(registry, one)),
    };
  };
  return {
    ...subject(skill),
    family: family.id,
    runsCode: runsCode(skill, family.permission?.runsCode?.(definition) === true),
    permission,
    input,
    workspace: kernel.workspace,
    isSandboxed:
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
