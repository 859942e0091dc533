import type { PendingApproval } from '../../agent/runs/pending.ts';
import { optional } from '../../core/index.ts';
import { deciderOf, notFound } from '../caller.ts';
import { defineEndpoint, type Endpoint, type RestCall } from './endpoint.ts';
import { findOwnRun } from './own-runs.ts';
import { continueAs } from './run-actions.ts';
import { approvalSchema, decideSchema, idParams, pageOf, runSchema } from './schemas.ts';

/** The endpoints for approvals. */
export const approvalEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    method: 'get',
    path: '/v1/approvals',
    id: 'listApprovals',
    summary: 'List pending approvals, oldest first',
    scope: 'runs:read',
    response: pageOf(approvalSchema, 'ApprovalList'),
    async handle(_input, { context, caller }) {
      const query = caller.isAdmin ? {} : { user: caller.user?.id ?? '' };
      return { data: (await context.agent.runs.pending(query)).map(showApproval) };
    },
  }),
  defineEndpoint({
    method: 'get',
    path: '/v1/approvals/{id}',
    id: 'getApproval',
    summary: 'Get a pending approval',
    scope: 'runs:read',
    params: idParams,
    response: approvalSchema,
    handle: async ({ params }, call) => showApproval(await findApproval(call, params.id)),
  }),
  defineEndpoint({
    method: 'post',
    path: '/v1/approvals/{id}',
    id: 'decideApproval',
    summary: 'Allow or deny a call, and continue its run',
    description: 'Responds with the run. `run` allows every call of the run that matches the rule.',
    scope: 'approvals:decide',
    params: idParams,
    body: decideSchema,
    response: runSchema,
    status: 202,
    async handle({ params, body }, call) {
      const { runId, id } = await findApproval(call, params.id);
      return await continueAs(call, runId, undefined, () =>
        call.context.agent.runs.approve(runId, id, body, deciderOf(call.caller)),
      );
    },
  }),
];

/** Finds a pending approval of one of the caller's runs. Its id consists of the run and the question. */
async function findApproval({ context, caller }: RestCall, given: string): Promise<PendingApproval> {
  const at = given.lastIndexOf('.');
  const [runId, id] = [given.slice(0, Math.max(0, at)), given.slice(at + 1)];
  const run = await findOwnRun(context, caller, runId).catch(() => undefined);
  const pending = run === undefined ? [] : await context.agent.runs.pending({ ids: [run.id] });
  const found = pending.find((one) => one.runId === runId && one.id === id);
  if (found === undefined) throw notFound('approval', given);
  return found;
}

function showApproval({ runId, id, path, asks, at, expired }: PendingApproval): object {
  return { id: `${runId}.${id}`, runId, path, asks, at, expired, ...optional('expires', asks.expires) };
}
