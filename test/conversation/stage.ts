import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BareAgent } from '../../src/agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../src/config/defaults.ts';
import { openModels } from '../../src/config/models/open-models.ts';
import { optional } from '../../src/core/collections.ts';
import type { RunHandle } from '../../src/core/event.ts';
import type { Approval } from '../../src/core/policy.ts';
import type { RunResult } from '../../src/core/run.ts';
import { openModelServer, type ModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedTurn } from '../../src/testing/model-server/script.ts';
import { goodKey, type ProviderKind } from '../support/provider-stage.ts';
import { tree, type Tree } from '../support/tree.ts';
import { trustProject } from '../support/trust-project.ts';
import type { Conversation, ConversationTurn } from './scripts.ts';

/** The session in which every conversation is held. */
export const session = 's_talk';

/** The folders of a conversation: the project and a home folder. */
export interface ConversationFolders {
  readonly files: Tree;
  /** The folder in which the conversation is held. */
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Creates the project and trusts it. */
export async function createFolders({
  files,
  folder = '',
  servers,
}: Conversation): Promise<ConversationFolders> {
  const all = tree({ 'home/x': '' });
  for (const [path, content] of Object.entries(files)) all.write(join('project', path), content);
  const workspace = all.at('project', folder);
  const home = all.at('home');
  const environment = { HOME: home, PATH: process.env['PATH'] ?? '' };
  if (servers !== undefined) {
    const settings = JSON.stringify({ mcpServers: servers });
    all.write('project/.mcp.json', settings);
    all.write('project/.skilled/settings.json', '{}');
    await trustProject({ startDir: workspace, userFolder: join(home, '.skilled'), home });
  }
  return { files: all, workspace, environment };
}

/** Opens an agent that holds a conversation as `skilled chat` does, with its runs in a file. */
export function openAgent(
  { workspace, files, environment }: ConversationFolders,
  kind: ProviderKind,
  url: string | undefined,
): BareAgent {
  const { options, environment: keys } = kind.setUp(url ?? 'http://127.0.0.1:9', goodKey);
  const variables = { ...environment, ...keys };
  const agent = new BareAgent(
    {
      startDir: workspace,
      settings: true,
      store: files.at('runs.db'),
      embeddings: false,
      limits: { runSeconds: 120, callSeconds: 100 },
      ...(url === undefined
        ? { offline: true }
        : { models: openModels(options, { environment: variables }) }),
    },
    defaultPorts(variables),
  );
  agent.instructions.show();
  return agent;
}

/** A conversation in progress. */
export interface HeldConversation extends AsyncDisposable {
  readonly agent: BareAgent;
  readonly server: ModelServer | undefined;
  readonly folders: ConversationFolders;
  /** The results of the turns so far. */
  readonly results: readonly RunResult[];
  /** The calls that needed a decision, with the decision. */
  readonly decisions: string[];
}

/** Holds a whole conversation in this process, through a provider's package. */
export async function hold(conversation: Conversation, kind: ProviderKind): Promise<HeldConversation> {
  const folders = await createFolders(conversation);
  const replies = conversation.turns.flatMap((turn) => turn.replies);
  const latches = new Map<number, Promise<unknown>>();
  const server = conversation.isOffline === true ? undefined : await openModelServer(serve(replies, latches));
  const agent = openAgent(folders, kind, server?.url);
  const results: RunResult[] = [];
  const held: HeldConversation = {
    agent,
    server,
    folders,
    results,
    decisions: [],
    async [Symbol.asyncDispose]() {
      await agent.shutdown({ drainMs: 0 });
      await server?.close();
      folders.files[Symbol.dispose]();
    },
  };
  let first = 0;
  let last: RunHandle | undefined;
  for (const [index, turn] of conversation.turns.entries()) {
    const before = conversation.turns[index - 1];
    const open = Promise.withResolvers<undefined>();
    if (turn.steers !== undefined) latches.set(first, open.promise);
    last = await begin(held, turn, before, last);
    if (turn.steers !== undefined) {
      await server?.waitForRequest(first);
      await last.steer(turn.steers);
      open.resolve(undefined);
    }
    first += turn.replies.length;
    if (turn.redirects !== undefined) await server?.waitForRequest(first - 1);
    else results.push(await settle(held, last, turn));
  }
  return held;
}

/** Answers requests with the replies, in order. A gate holds the reply with its index back. */
export function serve(replies: readonly ServedTurn[], latches: ReadonlyMap<number, Promise<unknown>>) {
  return async (_request: unknown, turn: number): Promise<ServedTurn | undefined> => {
    await latches.get(turn - 1);
    return replies[turn - 1];
  };
}

/** Starts the run of a turn: a prompt, or the prompt of the turn before for another skill. */
async function begin(
  { agent, folders }: HeldConversation,
  { types, attaches }: ConversationTurn,
  before: ConversationTurn | undefined,
  last: RunHandle | undefined,
): Promise<RunHandle> {
  if (before?.redirects !== undefined && last !== undefined) {
    const to = before.redirects === 'assistant' ? '(assistant)' : before.redirects.to;
    return await agent.session(session).redirect(last.id, to);
  }
  const attachments = attaches === undefined ? undefined : [attachmentAt(folders, attaches)];
  return agent.run({
    prompt: types ?? '',
    session,
    assistant: 'open',
    ...optional('attachments', attachments),
  });
}

function attachmentAt(
  { workspace }: ConversationFolders,
  name: string,
): {
  readonly name: string;
  readonly mediaType: string;
  readonly data: string;
} {
  return { name, mediaType: 'image/png', data: readFileSync(join(workspace, name)).toString('base64') };
}

/** Decides the approvals of a turn until its run ends. */
export async function settle(
  { agent, decisions }: Pick<HeldConversation, 'agent' | 'decisions'>,
  run: RunHandle,
  { decides = [] }: ConversationTurn,
): Promise<RunResult> {
  let result = await run.result;
  for (const decision of decides) {
    if (result.status !== 'waiting') break;
    const { skill = '', input = null } = result.question?.asks ?? {};
    decisions.push(`${skill} ${JSON.stringify(input)}: ${JSON.stringify(decision)}`);
    const approval: Approval = decision === 'once' ? { allow: 'once' } : decision;
    await agent.runs.approve(result.runId, result.question?.id ?? '', approval);
    result = await agent.runs.resume(result.runId).result;
  }
  return result;
}
