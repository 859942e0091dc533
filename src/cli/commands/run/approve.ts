import type { PendingApproval } from '../../../agent/runs/pending.ts';
import { ownSettings, settingsSources } from '../../../config/read/settings.ts';
import { valueAt } from '../../../config/schema/key.ts';
import {
  AgentError,
  isAgentError,
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
import { goOn } from '../../runs/continue-run.ts';
import { decide } from '../../runs/decide.ts';
import {
  approveCommand,
  decisionLines,
  longerLeave,
  questionLines,
  type Undecided,
} from '../../runs/questions.ts';
import { existingStore, mustExist, openHistory, placeOfRuns, sayForeign } from '../../runs/run-store.ts';

/** `skilled approve`: what waits for a decision, and deciding it; the exit code is that of the run then. */
export const approve: CliCommand = {
  summary: 'List what waits for a decision; allow or deny it.',
  usage: `Usage: skilled approve [--json]
       skilled approve <id> [--run | --always | --deny <reason>] [flags]

Alone it lists what the runs of this project wait for. With an id it allows that once, or
as a flag says, and goes on with the run as "skilled resume" does. An id is run/question;
the question is enough where it is the only one of its name, and so is a run that waits
for a single decision. The beginning of an id is enough.

  skilled approve r_5f0c2a9b7d31e844/q_91b7

  --run                 allow its rule for the rest of the run
  --always              allow its rule until the files of the skill change
  --deny <reason>       deny it; whoever called is told the reason
  --yes                 also allow once whatever else the run asks about
  --take-over           also while another process works on the run, which then stops
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
  mostWords: 1,
  async run(invocation) {
    const [word] = invocation.words;
    mustStream(invocation);
    mustFit(invocation);
    return word === undefined ? listPending(invocation) : decideAndGoOn(invocation, word.trim());
  },
};

/** Flags that contradict each other, or that would be ignored, are mistakes. */
function mustFit({ flags, own, words }: Invocation): void {
  const said = ['run', 'always', 'deny'].filter((flag) => own[flag] !== undefined && own[flag] !== false);
  const [first, second] = said;
  const fail = (message: string, hint: string): never => {
    throw new AgentError('usage.bad-input', message, { hint });
  };
  if (second !== undefined)
    fail(`--${String(first)} and --${second} are different decisions.`, 'Leave out one.');
  if (flags.yes && first === 'deny') fail('--yes allows and --deny denies.', 'Leave out one.');
  if (words[0]?.trim() === '') fail('Name what is meant.', 'See what waits: `skilled approve`');
  if (words.length === 0) {
    const stray = flags.yes ? 'yes' : first;
    if (stray !== undefined)
      fail(`--${stray} needs the id of what is meant.`, 'See what waits: `skilled approve`');
  } else if (flags.safe && first !== 'deny')
    fail('--safe denies whatever needs approval.', 'Leave it out, or add --deny <reason>.');
}

/** Decides what a word names and goes on with its run; returns the exit code of the run. */
async function decideAndGoOn(invocation: Invocation, word: string): Promise<number> {
  const { flags } = invocation;
  await using agent = await openAgent(flags, {
    ...chosenModels(invocation),
    store: await mustExist(flags, word.split('/')[0] ?? word),
    retentionDays: 0,
  });
  const pending = findPending(await agent.runs.pending(), word);
  const { runId } = pending;
  const run = await agent.runs.find(runId);
  const approval = approvalOf(agent, invocation, pending);
  try {
    await decide(agent, invocation, { runId, question: pendingQuestion(pending), approval });
  } catch (thrown) {
    throw isAgentError(thrown) ? withNextStep(thrown, `skilled resume ${runId}`) : thrown;
  }
  return await goOn({ agent, invocation, isSaid: true }, run, run.seq);
}

function approvalOf(agent: RecursiveSkilledAgent, invocation: Invocation, undecided: Undecided): Approval {
  const { own } = invocation;
  if (typeof own['deny'] === 'string') return { deny: own['deny'] };
  const flag = own['always'] === true ? '--always' : own['run'] === true ? '--run' : undefined;
  if (flag === undefined) return { allow: 'once' };
  const leave = longerLeave(undecided.asks).find((one) => one.flag === flag);
  if (leave === undefined) throw noLongerLeave(agent, undecided, flag, invocation.flags);
  return { allow: leave.allow };
}

/** A decision that came too late, or about files that changed, leaves a run that can be taken up. */
function withNextStep(error: AgentError, command: string): AgentError {
  const { code, message, hint } = error;
  if (code !== 'policy.expired' && code !== 'skill.changed') return error;
  return new AgentError(code, message, { hint: `${hint ?? 'Resume the run.'} \`${command}\``, cause: error });
}

/** What the runs of this project wait for, oldest first, each with the commands that decide it. */
async function listPending(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  const store = existingStore(flags);
  sayForeign(invocation);
  const pending = store === undefined ? [] : await pendingIn(store);
  if (flags.json) printJson(terminal, { ok: true, approvals: pending });
  else if (pending.length > 0) terminal.out(pending.map((one) => describe(one, invocation)).join('\n'));
  else if (!flags.quiet) terminal.err(`Nothing in ${placeOfRuns(flags)} waits for a decision.\n`);
  return 0;
}

async function pendingIn(store: string): Promise<readonly PendingApproval[]> {
  await using agent = openHistory(store);
  return await agent.runs.pending();
}

function describe(pending: PendingApproval, invocation: Invocation): string {
  const { runId, id, asks, at } = pending;
  const lines = [
    ...questionLines(pendingQuestion(pending), invocation.terminal),
    ...decisionLines({ runId, id, asks }, invocation),
  ];
  const head = `${paint(`${runId}/${id}`, 'bold', invocation.terminal)}  ${when(at, asks.expires)}`;
  return [head, ...lines.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('');
}

/** Since when it is asked, and how long yet. */
function when(at: number, expires: number | undefined): string {
  const now = Date.now();
  const asked = `asked ${agoText(now - at)}`;
  if (expires === undefined) return asked;
  const left = timeLeft(expires, now);
  return left === undefined ? `${asked}, expired` : `${asked}, ${left} left`;
}

/**
 * The one decision that a word names: `run/question`, a question, or a run that waits for a single one; the beginning of
 * an id is enough. Throws `usage.not-found`, also where several are meant. Pure.
 */
export function findPending(pending: readonly PendingApproval[], word: string): PendingApproval {
  const slash = word.indexOf('/');
  const first = slash < 0 ? word : word.slice(0, slash);
  const second = slash < 0 ? undefined : word.slice(slash + 1);
  const found = pending.filter(({ runId, id }) => {
    if (second !== undefined) return begins(runId, first) && begins(id, second);
    return begins(id, first) || begins(runId, first);
  });
  const exact = found.filter(({ runId, id }) => [`${runId}/${id}`, id, runId].includes(word));
  const [only, other] = exact.length > 0 ? exact : found;
  if (only !== undefined && other === undefined) return only;
  if (only === undefined)
    throw new AgentError('usage.not-found', `Nothing that is called ${word} waits for a decision.`, {
      hint: 'See what does: `skilled approve`',
    });
  const names = found.slice(0, mostNamed).map(({ runId, id }) => `${runId}/${id}`);
  throw new AgentError('usage.not-found', `${word} stands for ${found.length} decisions.`, {
    hint: `Name one: ${names.join(', ')}${found.length > mostNamed ? ', …' : ''}`,
  });
}

const mostNamed = 5;

function begins(id: string, beginning: string): boolean {
  return beginning !== '' && id.startsWith(beginning);
}

/** A pending decision as the question that its run asks. Pure. */
function pendingQuestion({ id, path, asks }: PendingApproval): OpenQuestion {
  return { id, kind: 'approval', path, text: approvalText(asks), asks };
}

const key = ['permissions', 'allow'] as const;

/** The error for whoever wants to allow more than can be allowed, with the command that comes nearest to it. */
function noLongerLeave(
  agent: RecursiveSkilledAgent,
  undecided: Undecided,
  flag: '--run' | '--always',
  flags: CommonFlags,
): AgentError {
  const { id, asks } = undecided;
  if (asks.each === true)
    return new AgentError(
      'usage.bad-input',
      `${id} is asked about each time; ${flag} would change nothing.`,
      {
        hint: `Allow it once: \`${approveCommand(undecided)}\``,
      },
    );
  return new AgentError('usage.bad-input', `${id} cannot be allowed for longer than its run.`, {
    hint: `No version of a skill stands behind it. --run allows it for its run; ${inAllRuns(agent, asks, flags)}`,
  });
}

/** In settings a star means more than itself, and some commands are let in by no rule of their own. */
function inAllRuns(agent: RecursiveSkilledAgent, asks: ApprovalRequest, flags: CommonFlags): string {
  if (!asks.rule.includes('*') && ruleAllows(agent, asks, flags.cwd))
    return `in all runs, unless a rule asks for it: ${settingFor(asks.rule, flags)}`;
  return `no rule for all runs means exactly this. What rules are: \`skilled config explain ${key.join('.')}\``;
}

/** The command that adds a rule to those that the user has. */
function settingFor(rule: string, { cwd }: CommonFlags): string {
  const known = valueAt(ownSettings(settingsSources(cwd)), key);
  const rules = new Set<Json>([...(Array.isArray(known) ? (known as readonly Json[]) : []), rule]);
  return codeSpan(`skilled config set ${key.join('.')} ${shellWord(JSON.stringify([...rules]))} --user`);
}
