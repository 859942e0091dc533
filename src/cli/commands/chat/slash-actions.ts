import { machineFor } from '../../../config/models/find-models.ts';
import { reportModels } from '../../../config/models/report.ts';
import { AgentError, optional, type Skill } from '../../../core/index.ts';
import {
  agoText,
  faultLines,
  modelSources,
  oneLine,
  pasteableRows,
  providerLines,
  table,
  type CliCommand,
} from '../../command-kit.ts';
import { createBill, showOldest, type Chat, type Said, type TurnRequest } from './context.ts';
import { chooseSession, earlierTurns, recentSessions } from './session.ts';

/** Sends text, or else the last prompt again, to a skill. */
export function useSkill(chat: Chat, args: string): TurnRequest {
  const [, name = '', text = ''] = /^[/@]?(\S*)\s*([^]*)$/.exec(args) ?? [];
  if (name === '')
    throw new AgentError('usage.bad-input', 'Missing the name of a skill.', {
      hint: 'Type /use <skill>, or /use <skill> with text.',
    });
  return { skill: name, ...promptFor(chat, text, `/use ${name}`) };
}

/** Sends text, or else the last prompt again, to the assistant. */
export function useAssistant(chat: Chat, text: string): TurnRequest {
  return { toAssistant: true, ...promptFor(chat, text, '/assistant') };
}

/** Returns the text as a prompt or, without text, the last prompt with the pictures that it included. */
function promptFor(
  { lastRequest }: Chat,
  text: string,
  typed: string,
): Pick<TurnRequest, 'prompt' | 'attachments'> {
  if (text.trim() !== '') return { prompt: text };
  if (lastRequest !== undefined)
    return { prompt: lastRequest.prompt, ...optional('attachments', lastRequest.attachments) };
  throw new AgentError('usage.bad-input', 'There is no earlier prompt to send again.', {
    hint: `Add the text: ${typed} <text>`,
  });
}

/** Shows the models, or selects the model for the rest of the conversation. */
export async function chooseModel(chat: Chat, name: string): Promise<Said> {
  const { invocation } = chat;
  const { flags, terminal } = invocation;
  const machine = machineFor(flags.safe ? undefined : flags.cwd);
  if (name === '') {
    const report = await reportModels(modelSources(invocation), machine, { lists: true });
    const rows = report.uses.map(({ role, tier, models }) => [
      { text: oneLine(role ?? tier) },
      { text: models.length === 0 ? 'none' : oneLine(models.join(', ')) },
    ]);
    const own = chat.bounds.overrides?.model;
    const selected =
      own === undefined
        ? ''
        : pasteableRows(`This conversation uses ${oneLine(own)}; /model default ends that.\n`, terminal);
    const lists = [...providerLines(report, terminal), ...faultLines(report, terminal)];
    const found = lists.map((line) => `${line}\n`).join('');
    const columns = [{ title: 'FOR' }, { title: 'MODEL' }];
    const text = `${table(columns, rows, terminal)}${found}${selected}`;
    return { text, document: { ok: true, ...report, ...optional('selected', own) } };
  }
  if (name !== 'default' && !name.includes('/')) {
    const { uses } = await reportModels(modelSources(invocation), machine);
    const tiers = uses.map(({ role, tier }) => role ?? tier);
    if (!tiers.includes(name))
      throw new AgentError('usage.bad-input', `"${name}" is not a model.`, {
        hint: `Use the form provider/model, or one of ${tiers.join(', ')}. /model lists the models.`,
      });
  }
  const { model: _, ...others } = chat.bounds.overrides ?? {};
  const model = name === 'default' ? undefined : name;
  chat.bounds = { ...chat.bounds, overrides: { ...others, ...optional('model', model) } };
  const text =
    model === undefined
      ? 'Each skill uses its own model again.\n'
      : `This conversation now uses ${oneLine(model)}.\n`;
  return { text, document: { ok: true, model: model ?? null } };
}

/** Lists recent conversations, or continues one here. */
export async function resumeSession(chat: Chat, id: string): Promise<Said> {
  const { agent, invocation } = chat;
  if (id === '') {
    const sessions = await recentSessions(chat);
    const rows = sessions.map(({ session, at, said }) => [
      { text: session },
      { text: agoText(Date.now() - at) },
      { text: oneLine(said) },
    ]);
    const columns = [{ title: 'CONVERSATION' }, { title: 'LAST' }, { title: 'BEGAN WITH' }];
    const text =
      rows.length === 0
        ? 'There are no other conversations yet.\n'
        : `${table(columns, rows, invocation.terminal)}Continue one: /resume <conversation>\n`;
    return { text, document: { ok: true, conversations: sessions } };
  }
  const { session, lastRun } = await chooseSession(agent, { id }, invocation.flags);
  chat.session = session;
  chat.lastRun = lastRun;
  chat.bill = createBill(agent, session);
  delete chat.lastRequest;
  await showOldest(chat);
  const lines = await earlierTurns(chat);
  return { text: lines.map((line) => `${line}\n`).join(''), document: { ok: true, session } };
}

/** Lists the tools that models can use here: built-in ones and those of MCP servers. */
export function showTools({ agent, invocation }: Chat): Said {
  const tools = agent.skills
    .list()
    .filter(
      ({ status, source, server }) => status === 'ready' && (source === 'bundled' || server !== undefined),
    );
  const rows = tools.map((skill) => [
    { text: oneLine(skill.name) },
    { text: originOf(skill) },
    { text: oneLine(skill.card.description) },
  ]);
  const columns = [
    { title: 'TOOL', most: 30 },
    { title: 'FROM', most: 20, dropOrder: 1 },
    { title: 'DESCRIPTION', least: 24 },
  ];
  return {
    text: table(columns, rows, invocation.terminal),
    document: { ok: true, tools: tools.map(({ name, server }) => ({ name, ...optional('server', server) })) },
  };
}

function originOf({ server }: Skill): string {
  return server === undefined ? 'built in' : oneLine(server);
}

/**
 * Runs a command of the CLI with the conversation's flags, and reloads what it may have changed. The command
 * prints its own text, because it may ask about what it has printed.
 */
export async function runCommand(
  { agent, invocation }: Chat,
  command: CliCommand,
  args: readonly string[],
): Promise<Said> {
  const { flags } = invocation;
  let printed = '';
  const terminal = {
    ...invocation.terminal,
    width: invocation.terminal.width,
    ...(flags.json ? { out: (more: string) => void (printed += more) } : {}),
  };
  const exitCode = await command.run({ ...invocation, own: {}, lists: {}, given: [], args, terminal });
  await agent.reload();
  return { text: '', document: printed === '' ? { ok: exitCode === 0 } : (JSON.parse(printed) as object) };
}
