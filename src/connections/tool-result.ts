import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client';
import { AgentError } from '../core/error.ts';
import { parseJson, type Json } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import type { ToolContent, ToolResult } from '../core/servers/tool-server.ts';
import { capResult } from './cap-result.ts';
import { jsonOf } from './json-of.ts';

type Block = CallToolResult['content'][number];
type Contents = ReadResourceResult['contents'][number];

/** What a tool gave. */
export function readCallResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  return capResult({
    content: content.map(readBlock),
    ...optional('structured', structuredContent === undefined ? undefined : plainValue(structuredContent)),
    isError: isError === true,
  });
}

/** What can be read at an address. */
export function readResourceResult({ contents }: ReadResourceResult): ToolResult {
  return capResult({ content: contents.map(readContents), isError: false });
}

/** The messages of a prompt, each a text that begins with its role; what is no text stands behind it. */
export function readPromptResult({ messages }: GetPromptResult): ToolResult {
  const content = messages.flatMap(({ role, content: block }): readonly ToolContent[] => {
    const read = readBlock(block);
    return read.kind === 'text'
      ? [{ ...read, text: `${role}: ${read.text}` }]
      : [{ kind: 'text', text: `${role}:` }, read];
  });
  return capResult({ content, isError: false });
}

function readBlock(block: Block): ToolContent {
  if (block.type === 'text') return { kind: 'text', text: block.text.toWellFormed() };
  if (block.type === 'resource') return readContents(block.resource);
  if (block.type === 'resource_link') {
    return { kind: 'link', uri: block.uri, name: block.name, ...optional('mediaType', block.mimeType) };
  }
  return { kind: 'blob', mediaType: block.mimeType, base64: block.data };
}

function readContents(contents: Contents): ToolContent {
  const { uri, mimeType } = contents;
  if ('text' in contents) return { kind: 'text', text: contents.text.toWellFormed(), uri };
  return { kind: 'blob', mediaType: mimeType ?? 'application/octet-stream', base64: contents.blob, uri };
}

function plainValue(given: unknown): Json {
  const value = parseJson(jsonOf(given));
  if (value !== undefined) return value;
  throw new AgentError('server.failed', 'The structured content of the answer nests too deep.');
}
