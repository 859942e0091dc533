import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import {
  isJsonObject,
  optional,
  parseJson,
  type JsonObject,
  type NativeTurn,
  type ToolCall,
} from '../../core/index.ts';

type Metadata = SharedV4ProviderMetadata | undefined;
type Kind = 'text' | 'reasoning';

interface Block {
  readonly kind: Kind | 'call';
  readonly call?: ToolCall;
  text: string;
  metadata: Metadata;
}

/** Collects an answer block by block, in the provider's order. */
export interface TurnCollector {
  begin(kind: Kind, id: string, metadata: Metadata): void;
  /** Also for a block that never began. */
  add(kind: Kind, id: string, text: string, metadata: Metadata): void;
  call(call: ToolCall, metadata: Metadata): void;
  /** The turn to give back to the provider; undefined when plain text and calls say it all. */
  native(provider: string): NativeTurn | undefined;
}

/** A collector for one answer; what a provider attaches to a block last is what counts. */
export function createTurnCollector(): TurnCollector {
  const blocks: Block[] = [];
  const open = new Map<string, Block>();

  const begin = (kind: Kind, id: string, metadata: Metadata): Block => {
    const block: Block = { kind, text: '', metadata };
    blocks.push(block);
    open.set(`${kind} ${id}`, block);
    return block;
  };

  return {
    begin,
    add(kind, id, text, metadata) {
      const block = open.get(`${kind} ${id}`) ?? begin(kind, id, undefined);
      block.text += text;
      block.metadata = metadata ?? block.metadata;
    },
    call(call, metadata) {
      blocks.push({ kind: 'call', call, text: '', metadata });
    },
    native(provider) {
      const kept = keptOf(blocks);
      if (!kept.some((block) => block.kind === 'reasoning' || isNeeded(block))) return undefined;
      const content = parseJson(JSON.stringify(kept.map(partOf)));
      return content === undefined ? undefined : { provider, content };
    },
  };
}

function keptOf(blocks: readonly Block[]): readonly Block[] {
  const hasCalls = blocks.some(({ kind }) => kind === 'call');
  const neededItems = new Set(blocks.filter(isNeeded).map(itemOf));
  return blocks.filter((block) => {
    if (block.kind === 'call') return true;
    if (isNeeded(block)) return true;
    if (block.kind === 'text') return block.text !== '';
    // Reasoning without a signature is of use only while its calls are under way; an item of OpenAI that is
    // spread over several blocks has its secret part in one of them, and without that part it is refused.
    return block.metadata === undefined ? hasCalls : neededItems.has(itemOf(block));
  });
}

/** Whether the provider attached more than the name of an item that it does not keep. */
function isNeeded({ metadata = {} }: Block): boolean {
  return Object.values(metadata).some((attached) =>
    Object.entries(attached).some(
      ([key, value]) => key !== 'itemId' && value !== null && value !== undefined,
    ),
  );
}

function itemOf({ metadata = {} }: Block): unknown {
  return Object.values(metadata)
    .map(({ itemId }) => itemId)
    .find((id) => id !== undefined);
}

function partOf({ kind, call, text, metadata }: Block): object {
  const providerOptions = optional('providerOptions', metadata);
  if (call === undefined) return { type: kind, text, ...providerOptions };
  const { id, name } = call;
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: callInputObject(call),
    ...providerOptions,
  };
}

/** The input that a model wrote as JSON text; nothing at all means no arguments, and what cannot be read stays text with a fault. Pure. */
export function readCallInput(text: string): Pick<ToolCall, 'input' | 'fault'> {
  if (text.trim() === '') return { input: {} };
  const input = parseJson(text);
  return input === undefined ? { input: text, fault: faultOf(text) } : { input };
}

function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return 'The arguments nest too deep or hold a number that is out of range.';
  } catch (thrown) {
    return `The arguments are not JSON: ${(thrown as SyntaxError).message}`;
  }
}

/** The input of an earlier call as providers take it back: always an object, because some refuse everything else. Pure. */
export function callInputObject({ input, fault }: ToolCall): JsonObject {
  if (isJsonObject(input)) return input;
  return fault === undefined ? { value: input } : { unreadable: input };
}
