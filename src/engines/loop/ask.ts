import { collect, type ModelReply, type Tier, type Tool } from '../../core/model.ts';
import { optional } from '../../core/collections.ts';
import type { Scope } from '../../core/scope.ts';
import type { Conversation } from './conversation.ts';
import { explainReferences } from './references.ts';
import { explainSubmit, type Submission } from './submit.ts';
import type { LoopTool } from './tools.ts';

/** What stays the same in all requests of a loop. */
export interface Asked {
  readonly system?: string | undefined;
  readonly tier?: Tier | undefined;
  readonly effort?: string | undefined;
  readonly submission: Submission | undefined;
}

/** Asks the model for the next turn of a conversation. */
export type Ask = (
  conversation: Conversation,
  tools: readonly LoopTool[],
  key: string,
  signal: AbortSignal,
) => Promise<ModelReply>;

/** Parts of a request are made again only for another list of tools. */
export function createAsk(scope: Scope, asked: Asked): Ask {
  const { tier = 'execution' } = asked;
  let last: { readonly tools: readonly LoopTool[]; readonly parts: Parts } | undefined;
  return (conversation, tools, key, signal) => {
    if (last?.tools !== tools) last = { tools, parts: partsOf(asked, tools) };
    const request = { ...last.parts, messages: [...conversation.messages], key };
    return collect(scope.model(tier).stream(request, signal));
  };
}

interface Parts {
  readonly system?: string;
  readonly tools?: readonly Tool[];
  readonly effort?: string;
  readonly joins: true;
}

function partsOf({ system, effort, submission }: Asked, tools: readonly LoopTool[]): Parts {
  const others = tools.filter((tool) => tool !== submission?.tool);
  const said = [
    system,
    others.length === 0 ? undefined : explainReferences,
    submission === undefined ? undefined : explainSubmit,
  ].filter((part) => part !== undefined);
  const offered = tools.map(({ name, description, input }) => ({ name, description, input }));
  return {
    ...(said.length === 0 ? {} : { system: said.join('\n\n') }),
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...optional('effort', effort),
    joins: true,
  };
}
