import type { PendingApproval } from '../../../agent/runs/pending.ts';
import { ownSettings, settingsSources } from '../../../config/read/settings.ts';
import { valueAt } from '../../../config/schema/key.ts';
import {
  AgentError,
  isAgentError,
  optional,
  type Approval,
  type ApprovalRequest,
  type Json,
  type OpenQuestion,
} from '../../../core/index.ts';
import { ruleAllows } from '../../../doctor/rules.ts';
import { approvalText } from '../../../views/index.ts';
import {
  agoText,
  chosenModels,
  codeSpan,
  fitRows,
  modelFlags,
  modelFlagsHelp,
  mustStream,
  openAgent,
  paint,
  printJson,
  shellWord,
  timeLeft,
  type CliCommand,
  type CommonFlags,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { continueRun } from '../../runs/continue-run.ts';
import { decide } from '../../runs/decide.ts';
import {
  approvalLines,
  approveCommand,
  decisionId,
  decisionLines,
  longerApprovals,
  type Undecided,
} from '../../runs/questions.ts';
import { existingStore, mustExist, openHistory, describeStore, sayForeign } from '../../runs/run-store.ts';

/**
 * `skilled approve`: lists pending approvals or decides on one. After a decision, returns the run's exit
 * code.
 */
export const approve: CliCommand = {
  summary: 'List pending approvals; allow or deny them.',
  usage: `Usage: skilled approve [--json]
       skilled approve <id> [--run | --always | --deny <reason>] [flags]

Without an id, lists the approvals that the runs of this project wait for. With an id,
allows it once, or decides as a flag says, and continues the run like "skilled resume". An
id is run/question. The question alone is enough if it is unique, and the run alone if it
waits for a single decision. The start of an id is enough. "last" is the only approval that
is pending.

  skilled approve last
  skilled approve r_5f0c2a9b/q_91b7c2

  --run                 allow its rule for the rest of the run
  --always              allow its rule until the files of the skill change
  --deny <reason>       deny it; the caller gets the reason
  --yes                 also allow once whatever else the run asks about
  --take-over           take over the run from another process, which then stops
  --stream              with --json: every event from now on as a line of JSON
${modelFlagsHelp}`,
  options: {
    run: { type: 'boolean' },
    always: { type: 'boolean' },
    deny: { type: 'string' },
    'take-over': { type: 'boolean' },
    stream: { type: 'boolean' },
    ...modelFlags,
  },
  maxArgs: 1,
  async run(invocation) {
    const [target] = invocation.args;
    mustStream(invocation);
    mustFit(invocation);
    return target === undefined ? listPending(invocation) : decideAndResume(invocation, target.trim());
  },
};

/** Throws if flags contradict each other or would have no effect. */
function mustFit({ flags, own, args }: Invocation): void {
  const said = ['run', 'always', 'deny'].filter((flag) => own[flag] !== undefined && own[flag] !== false);
  const [first, second] = said;
  const fail = (message: string, hint: string): never => {
    throw new AgentError('usage.bad-input', message, { hint });
  };
  if (second !== undefined)
    fail(`--${String(first)} and --${second} cannot be used together.`, 'Use only one of these flags.');
  if (flags.yes && first === 'deny')
    fail('--yes and --deny cannot be used together.', 'Use only one of these flags.');
  if (args[0]?.trim() === '') fail('Missing approval id.', 'List pending approvals: `skilled approve`');
  if (args.length === 0) {
    const stray = flags.yes ? 'yes' : first;
    if (stray !== undefined)
      fail(`--${stray} needs an approval id.`, 'List pending approvals: `skilled approve`');
  } else if (flags.safe && first !== 'deny')
    fail('--safe denies everything that needs approval.', 'Leave out --safe, or add --deny <reason>.');
}

/** Decides on the approval that the argument names and continues its run. Returns the run's exit code. */
async function decideAndResume(invocation: Invocation, target: string): Promise<number> {
  const { flags } = invocation;
  await using agent = await openAgent(flags, {
    ...chosenModels(invocation),
    store: await mustExist(flags, target.split('/')[0] ?? target),
    retentionDays: 0,
  });
  const pending = findPending(await agent.runs.pending(), target);
  const { runId } = pending;
  const run = await agent.runs.find(runId);
  const approval = approvalOf(agent, invocation, pending);
  try {
    await decide(agent, invocation, { runId, question: pendingQuestion(pending), approval });
  } catch (thrown) {
    throw isAgentError(thrown) ? withNextStep(thrown, `skilled resume ${runId}`) : thrown;
  }
  return await continueRun({ agent, invocation, isSaid: true }, run, run.seq);
}

function approvalOf(agent: RecursiveSkilledAgent, invocation: Invocation, undecided: Undecided): Approval {
  const { own } = invocation;
  if (typeof own['deny'] === 'string') return { deny: own['deny'] };
  const flag = own['always'] === true ? '--always' : own['run'] === true ? '--run' : undefined;
  if (flag === undefined) return { allow: 'once' };
  const approval = longerApprovals(undecided.asks).find((one) => one.flag === flag);
  if (approval === undefined) throw longerApprovalError(agent, undecided, flag, invocation.flags);
  return { allow: approval.allow };
}

/**
 * Adds the command that resumes the run to the error's hint if the decision was late or the skill's files
 * have changed.
 */
function withNextStep(error: AgentError, command: string): AgentError {
  const { code, message, hint } = error;
  if (code !== 'policy.expired' && code !== 'skill.changed') return error;
  return new AgentError(code, message, { hint: `${hint ?? 'Resume the run.'} \`${command}\``, cause: error });
}

/**
 * Lists the approvals that this project's runs are waiting for, oldest first, with the commands that approve
 * or deny them.
 */
async function listPending(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  const store = existingStore(flags);
  sayForeign(invocation);
  const pending = store === undefined ? [] : await pendingIn(store);
  if (flags.json) printJson(terminal, { ok: true, approvals: pending });
  else if (pending.length > 0) {
    terminal.out(fitRows(pending.map((one) => describe(one, invocation)).join('\n'), terminal));
  } else if (!flags.quiet) terminal.err(`No pending approvals in ${describeStore(flags)}.\n`);
  return 0;
}

async function pendingIn(store: string): Promise<readonly PendingApproval[]> {
  await using agent = openHistory(store);
  return await agent.runs.pending();
}

function describe(pending: PendingApproval, invocation: Invocation): string {
  const { runId, id, asks, at } = pending;
  const { width } = invocation.terminal;
  const lines = [
    ...approvalLines(pendingQuestion(pending), asks, {
      terminal: invocation.terminal,
      cwd: invocation.flags.cwd,
      ...optional('width', width === undefined ? undefined : width - 2),
    }),
  ].map((line) => `  ${line}`);
  const decisions = decisionLines({ runId, id, asks }, invocation, '  ');
  const head = `${paint(decisionId({ runId, id }), 'bold', invocation.terminal)}  ${when(at, asks.expires)}`;
  return [head, ...lines, ...decisions].map((line) => `${line}\n`).join('');
}

/** Describes how long ago a question was asked and how much time is left to answer it. */
function when(at: number, expires: number | undefined): string {
  const now = Date.now();
  const asked = `asked ${agoText(now - at)}`;
  if (expires === undefined) return asked;
  const left = timeLeft(expires, now);
  return left === undefined ? `${asked}, expired` : `${asked}, ${left} left`;
}

/**
 * Finds the pending approval that an argument identifies: `run/question`, a question's id, or a run that is
 * waiting for a single approval. Id prefixes are accepted. Throws `usage.not-found` unless exactly one
 * matches. Pure.
 */
export function findPending(pending: readonly PendingApproval[], target: string): PendingApproval {
  if (target === 'last' && pending.length === 1 && pending[0] !== undefined) return pending[0];
  const slash = target.indexOf('/');
  const first = slash < 0 ? target : target.slice(0, slash);
  const second = slash < 0 ? undefined : target.slice(slash + 1);
  const found = pending.filter(({ runId, id }) => {
    if (second !== undefined) return begins(runId, first) && begins(id, second);
    return begins(id, first) || begins(runId, first);
  });
  const exact = found.filter(({ runId, id }) => [`${runId}/${id}`, id, runId].includes(target));
  const [only, other] = exact.length > 0 ? exact : found;
  if (only !== undefined && other === undefined) return only;
  if (target === 'last' && pending.length > 1)
    throw new AgentError(
      'usage.not-found',
      `${pending.length} approvals are pending, so "last" is not clear.`,
      {
        hint: `Use one of ${namesOf(pending)}`,
      },
    );
  if (only === undefined)
    throw new AgentError('usage.not-found', `No pending approval matches ${target}.`, {
      hint: 'List pending approvals: `skilled approve`',
    });
  throw new AgentError('usage.not-found', `${target} matches ${found.length} pending approvals.`, {
    hint: `Use one of ${namesOf(found)}`,
  });
}

const maxNamed = 5;

function namesOf(pending: readonly PendingApproval[]): string {
  return `${pending.slice(0, maxNamed).map(decisionId).join(', ')}${pending.length > maxNamed ? ', …' : ''}`;
}

function begins(id: string, beginning: string): boolean {
  return beginning !== '' && id.startsWith(beginning);
}

/** Converts a pending approval to its run's open question. Pure. */
function pendingQuestion({ id, path, asks }: PendingApproval): OpenQuestion {
  return { id, kind: 'approval', path, text: approvalText(asks), asks };
}

const key = ['permissions', 'allow'] as const;

/**
 * Returns the error for an approval flag that is not valid for this approval, with the closest valid command.
 */
function longerApprovalError(
  agent: RecursiveSkilledAgent,
  undecided: Undecided,
  flag: '--run' | '--always',
  flags: CommonFlags,
): AgentError {
  const { id, asks } = undecided;
  if (asks.each === true)
    return new AgentError('usage.bad-input', `${id} needs approval each time; ${flag} has no effect.`, {
      hint: `Allow it once: \`${approveCommand(undecided)}\``,
    });
  return new AgentError('usage.bad-input', `${id} can be allowed only for its own run.`, {
    hint: `It does not belong to a version of a skill. --run allows it for its run; ${inAllRuns(agent, asks, flags)}`,
  });
}

/**
 * Explains how to allow a request in all runs. Some requests cannot be allowed by a rule alone, for example
 * because a star in a rule is a wildcard.
 */
function inAllRuns(agent: RecursiveSkilledAgent, asks: ApprovalRequest, flags: CommonFlags): string {
  if (!asks.rule.includes('*') && ruleAllows(agent, asks, flags.cwd))
    return `to allow it in all runs, unless another rule asks: ${settingFor(asks.rule, flags)}`;
  return `no rule can allow exactly this in all runs. About rules: \`skilled config explain ${key.join('.')}\``;
}

/** Returns the command that adds a permission rule to the user's settings. */
function settingFor(rule: string, { cwd }: CommonFlags): string {
  const known = valueAt(ownSettings(settingsSources(cwd)), key);
  const rules = new Set<Json>([...(Array.isArray(known) ? (known as readonly Json[]) : []), rule]);
  return codeSpan(`skilled config set ${key.join('.')} ${shellWord(JSON.stringify([...rules]))} --user`);
}
