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

/** Collects the content blocks of a response in the provider's order. */
export interface TurnCollector {
  begin(kind: Kind, id: string, metadata: Metadata): void;
  /** Appends text to a block. Creates the block if it does not exist yet. */
  add(kind: Kind, id: string, text: string, metadata: Metadata): void;
  call(call: ToolCall, metadata: Metadata): void;
  /**
   * Returns the response in the provider's own format, or undefined if later requests need only its
   * text and calls.
   */
  native(provider: string): NativeTurn | undefined;
}

/** Creates a collector for one response. Each block keeps its latest metadata. */
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
      const selected = selectBlocks(blocks);
      if (!selected.some((block) => block.kind === 'reasoning' || isNeeded(block))) return undefined;
      const content = parseJson(JSON.stringify(selected.map(partOf)));
      return content === undefined ? undefined : { provider, content };
    },
  };
}

function selectBlocks(blocks: readonly Block[]): readonly Block[] {
  const hasCalls = blocks.some(({ kind }) => kind === 'call');
  const neededItems = new Set(blocks.filter(isNeeded).map(itemOf));
  return blocks.filter((block) => {
    if (block.kind === 'call') return true;
    if (isNeeded(block)) return true;
    if (block.kind === 'text') return block.text !== '';
    // Keep unsigned reasoning only if the response has calls. If an OpenAI item has several blocks, keep all
    // of them, because one contains the encrypted reasoning that OpenAI requires.
    return block.metadata === undefined ? hasCalls : neededItems.has(itemOf(block));
  });
}

/**
 * Returns whether the metadata contains more than an item id. OpenAI does not store items, so it cannot
 * look up an id.
 */
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

/**
 * Parses the JSON input of a tool call. Empty text means an empty input. Keeps invalid text together with the
 * parse error. Pure.
 */
export function readCallInput(text: string): Pick<ToolCall, 'input' | 'fault'> {
  if (text.trim() === '') return { input: {} };
  const input = parseJson(text);
  return input === undefined ? { input: text, fault: faultOf(text) } : { input };
}

function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return 'The arguments are nested too deeply or contain a number that is out of range.';
  } catch (thrown) {
    return `The arguments are not JSON: ${(thrown as SyntaxError).message}`;
  }
}

/**
 * Returns the input of an earlier call, to send to the provider. Always an object, because some providers
 * reject other values. Pure.
 */
export function callInputObject({ input, fault }: ToolCall): JsonObject {
  if (isJsonObject(input)) return input;
  return fault === undefined ? { value: input } : { unreadable: input };
}
