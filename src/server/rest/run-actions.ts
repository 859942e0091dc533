import { AgentError, hasEnded, optional, type Json, type RunSummary } from '../../core/index.ts';
import { foldRun } from '../../views/index.ts';
import { askerOf, deciderOf } from '../caller.ts';
import { defineEndpoint, type Endpoint, type RestCall } from './endpoint.ts';
import { findOwnRun, readEvents, showRun } from './own-runs.ts';
import { cancelSchema, idParams, rerunSchema, resumeSchema, runSchema, steerSchema } from './schemas.ts';
import { beginOnce, budgetOf, continueRun, runResponse } from './start-run.ts';

const post = { method: 'post', scope: 'runs:write', params: idParams, response: runSchema } as const;

/** The endpoints that change runs. */
export const runActionEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    ...post,
    path: '/v1/runs/{id}/cancel',
    id: 'cancelRun',
    summary: 'End a run',
    description: 'Ends the run and everything that it does. A run that has ended stays as it is.',
    body: cancelSchema,
    isBodyOptional: true,
    async handle({ params, body }, { context, caller }) {
      const { id } = await findOwnRun(context, caller, params.id);
      await context.agent.runs.cancel(id, body.reason, deciderOf(caller));
      return await showRun(context, caller, await findOwnRun(context, caller, id));
    },
  }),
  defineEndpoint({
    ...post,
    path: '/v1/runs/{id}/resume',
    id: 'resumeRun',
    summary: 'Answer a question of a run, or continue an interrupted run',
    description: 'Approvals are decided at `POST /v1/approvals/{id}`.',
    body: resumeSchema,
    isBodyOptional: true,
    status: 202,
    async handle({ params, body }, call) {
      const { context, caller } = call;
      const run = await findOwnRun(context, caller, params.id);
      mustBeOpen(run);
      await budgetOf(context, caller);
      return await continueAs(call, run.id, body.wait, async () => {
        if (body.answer !== undefined) await answer(call, run, body.answer as Json, body.question);
      });
    },
  }),
  defineEndpoint({
    ...post,
    path: '/v1/runs/{id}/rerun',
    id: 'rerunRun',
    summary: 'Start a run again with the same request',
    body: rerunSchema,
    isBodyOptional: true,
    status: 202,
    async handle({ params, body }, call) {
      const { context, caller } = call;
      const run = await findOwnRun(context, caller, params.id);
      if (body.from !== undefined) await mustHaveFrame(call, run, body.from);
      const limits = await budgetOf(context, caller);
      return await beginOnce(call, body, (id, signal) =>
        context.agent.runs.rerun(run.id, {
          asker: { ...askerOf(caller), limits },
          ...optional('id', id),
          ...optional('signal', signal),
          ...optional('from', body.from),
        }),
      );
    },
  }),
  defineEndpoint({
    ...post,
    path: '/v1/runs/{id}/steer',
    id: 'steerRun',
    summary: 'Send a message to a run in progress',
    description: 'The next model step of the outermost loop gets the message.',
    body: steerSchema,
    async handle({ params, body }, { context, caller }) {
      const run = await findOwnRun(context, caller, params.id);
      mustBeOpen(run);
      await context.agent.runs.steer(run.id, body.text);
      return await showRun(context, caller, run);
    },
  }),
];

/** Does something, and then continues a run in the background, or until it has ended or waits. */
export async function continueAs(
  call: RestCall,
  id: string,
  wait: boolean | undefined,
  first: () => Promise<unknown>,
): Promise<Response> {
  const { context, caller } = call;
  const slot = context.runSlots.enter(caller.principal, caller.principal.concurrentRuns);
  if (slot instanceof Error) throw slot;
  try {
    await first();
  } catch (thrown) {
    slot[Symbol.dispose]();
    throw thrown;
  }
  const work = continueRun(context, id).finally(() => slot[Symbol.dispose]());
  if (wait === true) await work;
  else work.catch((thrown: unknown) => call.context.report(`run ${id}: ${String(thrown)}`));
  return await runResponse(call, id, { wait }, {});
}

/** Throws `usage.conflict` for a run that has ended. */
function mustBeOpen({ id, status }: RunSummary): void {
  if (!hasEnded(status)) return;
  throw new AgentError('usage.conflict', `Run ${id} has ended.`, {
    hint: 'Start a new run, or run it again with POST /v1/runs/{id}/rerun.',
    details: { runStatus: status },
  });
}

async function answer(
  { context, caller }: RestCall,
  { id }: RunSummary,
  given: Json,
  question: string | undefined,
): Promise<void> {
  const { questions } = foldRun(await readEvents(await context.agent.runs.store(), id));
  const asked = questions.filter(({ kind }) => kind === 'input');
  const found = question === undefined ? asked[0] : asked.find((one) => one.id === question);
  if (found === undefined)
    throw new AgentError('usage.conflict', `Run ${id} has no such open question.`, {
      hint: 'GET the run to see its question. Approvals are decided at POST /v1/approvals/{id}.',
    });
  await context.agent.runs.answer(id, given, found.id, deciderOf(caller));
}

async function mustHaveFrame({ context }: RestCall, { id }: RunSummary, frame: string): Promise<void> {
  const events = await readEvents(await context.agent.runs.store(), id);
  if (events.some((event) => event.type === 'frame.started' && event.frameId === frame)) return;
  throw new AgentError('usage.not-found', 'The run has no such frame.', {
    hint: 'GET /v1/runs/{id}/tree shows its frames.',
  });
}
