import { createHash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import {
  AgentError,
  optional,
  readPrompt,
  type Json,
  type JsonObject,
  type LimitOptions,
  type RunHandle,
  type RunOptions,
} from '../../core/index.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import { askerOf, maySkill, storedSession, type Caller } from '../caller.ts';
import type { NewRequest } from '../idempotency.ts';
import { strictestLimits } from '../limits/budgets.ts';
import type { ServerContext } from '../route-group.ts';
import { streamEvents } from '../streams/event-stream.ts';
import type { RestCall } from './endpoint.ts';
import { aloneSession, findOwnRun, isAlone, showRun } from './own-runs.ts';
import type { newRunSchema } from './schemas.ts';

type NewRun = z.output<typeof newRunSchema>;

/** The form of a response: sent at once, sent when the run has ended, or a stream. */
export interface ResponseMode {
  readonly wait?: boolean | undefined;
  readonly stream?: boolean | undefined;
}

/** Starts the run of a request, once per `Idempotency-Key`, and responds as the request asks. */
export async function startNewRun(body: NewRun, call: RestCall): Promise<Response> {
  const { caller, context } = call;
  checkSkill(context, caller, body);
  const request = runRequest(body, call, await budgetOf(context, caller));
  return await beginOnce(call, body, (id, signal) =>
    context.agent.run({ ...request, ...optional('id', id), ...optional('signal', signal) }),
  );
}

/**
 * Begins a run, unless an earlier request with the same `Idempotency-Key` has begun it, and responds. A run that
 * the client waits for is cancelled when the client disconnects.
 */
export async function beginOnce(
  call: RestCall,
  mode: ResponseMode,
  begin: (id: string | undefined, signal: AbortSignal | undefined) => RunHandle,
): Promise<Response> {
  const { caller, context, request, text } = call;
  const key = request.headers.get('idempotency-key');
  if (key === null) return await startWith(call, mode, begin, undefined);
  const { pathname } = new URL(request.url);
  const digest = createHash('sha256').update(`${request.method} ${pathname}\n${text}`).digest('hex');
  const beginning = await context.idempotency.begin(caller.principal, key, digest, request.signal);
  if (beginning.kind === 'conflict')
    throw new AgentError('usage.conflict', 'Another request used this Idempotency-Key with another body.', {
      hint: 'Use a new key for each request.',
    });
  if (beginning.kind === 'new') {
    try {
      return await startWith(call, mode, begin, beginning.request);
    } catch (thrown) {
      await beginning.request.abandon();
      throw thrown;
    }
  }
  const { id } = beginning.answer.body as { readonly id: string };
  const run = await findOwnRun(context, caller, id);
  const headers = { ...runHeaders(id), 'idempotency-replayed': 'true' };
  if (mode.stream === true) return streamOf(call, id, headers);
  if (mode.wait === true && (run.status === 'running' || run.status === 'interrupted'))
    await continueRun(context, id);
  return await runResponse(call, id, mode, headers);
}

async function startWith(
  call: RestCall,
  mode: ResponseMode,
  begin: (id: string | undefined, signal: AbortSignal | undefined) => RunHandle,
  once: NewRequest | undefined,
): Promise<Response> {
  const { caller, context, request } = call;
  const slot = context.runSlots.enter(caller.principal, caller.principal.concurrentRuns);
  if (slot instanceof Error) throw slot;
  let handle: RunHandle;
  try {
    handle = begin(
      once === undefined ? undefined : `i_${once.id}`,
      mode.wait === true ? request.signal : undefined,
    );
  } catch (thrown) {
    slot[Symbol.dispose]();
    throw thrown;
  }
  context.feeds.attach(handle);
  const ended = handle.result.finally(() => slot[Symbol.dispose]());
  void ended
    .then(({ runId }) => forgetAlone(context, runId))
    .catch((thrown: unknown) => context.report(String(thrown)));
  await mustBegin(handle);
  const { id } = handle;
  await once?.finish({ status: 202, headers: {}, body: { id } });
  if (mode.stream === true) return streamOf(call, id, runHeaders(id));
  if (mode.wait === true) await ended;
  return await runResponse(call, id, mode, runHeaders(id));
}

/** Waits until a run is recorded. Throws the error of a run that never began. */
export async function mustBegin(handle: RunHandle): Promise<void> {
  for await (const _event of handle.events) return;
  const { error } = await handle.result;
  if (error === undefined) return;
  const { code, message, hint, details } = error;
  throw new AgentError(code, message, { ...optional('hint', hint), ...optional('details', details) });
}

function runHeaders(id: string): Record<string, string> {
  return { location: `/v1/runs/${id}`, 'skilled-run': id };
}

function streamOf({ context, request }: RestCall, runId: string, headers: Record<string, string>): Response {
  const signal = AbortSignal.any([request.signal, context.closing]);
  return streamEvents(context.feeds, { runId, after: 0, signal }, headers);
}

/** Responds with a run as it is now. */
export async function runResponse(
  { context, caller }: RestCall,
  id: string,
  { wait }: ResponseMode,
  headers: Record<string, string>,
): Promise<Response> {
  const run = await findOwnRun(context, caller, id);
  return Response.json(await showRun(context, caller, run), { status: wait === true ? 200 : 202, headers });
}

/** Deletes the session of a run outside any conversation once the run has ended. */
export async function forgetAlone({ agent }: ServerContext, runId: string): Promise<void> {
  const [run] = await (await agent.runs.store()).runs({ ids: [runId] });
  if (run !== undefined && isAlone(run.session) && run.status !== 'waiting' && run.status !== 'running')
    await agent.deleteSession(run.session);
}

/**
 * Throws `skill.not-found` unless the caller may start the skill that the request names. The package's own
 * tools, such as `bash`, cannot be started: only skills may call them.
 */
export function checkSkill(
  { agent }: ServerContext,
  caller: Caller,
  { skill: named, prompt = '' }: Pick<NewRun, 'skill' | 'prompt'>,
): void {
  const name = named ?? readPrompt(prompt).name;
  if (name === undefined) return;
  if (name === 'cancel' && named === undefined) return; // Drops the open question of the session.
  const skill = agent.skills.get(name);
  if (skill !== undefined && !isInternal(skill) && skill.card.userInvocable !== false)
    if (maySkill(caller, skill)) return;
  throw new AgentError('skill.not-found', `No skill has the name ${JSON.stringify(name.slice(0, 100))}.`, {
    hint: 'GET /v1/skills lists the skills that you may use.',
  });
}

function runRequest(body: NewRun, { caller, context }: RestCall, budget: LimitOptions): RunOptions {
  const { prompt, skill, input, session, question, assistant, attachments, result, model, effort } = body;
  const overrides = {
    ...optional('result', result as JsonObject | undefined),
    ...optional('model', model),
    ...optional('effort', effort),
  };
  return {
    session: session === undefined ? aloneSession(randomUUID()) : storedSession(caller, session),
    limits: strictestLimits(context.limits, budget, body.limits as LimitOptions | undefined),
    ...optional('prompt', prompt),
    ...optional('skill', skill),
    ...optional('input', input as Json | undefined),
    ...askerOf(caller),
    ...optional('question', question),
    ...optional('assistant', assistant),
    ...optional('attachments', attachments),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
  };
}

/** Works on a run that waits or was interrupted, or follows it. Resolves when it has ended or waits. */
export async function continueRun(context: ServerContext, runId: string): Promise<void> {
  const handle = context.agent.runs.resume(runId);
  context.feeds.attach(handle);
  await handle.result;
  await forgetAlone(context, runId);
}

/** Returns the limits for the next run of a caller. Throws `limit.budget` if its key has used its budget. */
export async function budgetOf({ budgets }: ServerContext, { principal }: Caller): Promise<LimitOptions> {
  const left = await budgets.check(principal);
  if (left instanceof Error) throw left;
  return left;
}
