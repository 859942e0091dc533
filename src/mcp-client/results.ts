import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client';
import {
  AgentError,
  detach,
  optional,
  parseJson,
  type Json,
  type ToolContent,
  type ToolResult,
} from '../core/index.ts';
import { jsonOf } from './messages.ts';

type Block = CallToolResult['content'][number];
type Contents = ReadResourceResult['contents'][number];

/** Converts the result of a tool call. */
export function readCallResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  return capResult({
    content: content.map(readBlock),
    ...optional('structured', structuredContent === undefined ? undefined : plainValue(structuredContent)),
    isError: isError === true,
  });
}

/** Converts the contents of a resource. */
export function readResourceResult({ contents }: ReadResourceResult): ToolResult {
  return capResult({ content: contents.map(readContents), isError: false });
}

/** Converts the messages of a prompt. Each message starts with its role. */
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
  throw new AgentError('server.failed', 'The structured content of the answer is nested too deeply.');
}

/** The maximum size of a result in its JSON form, in bytes. */
const maxBytes = 1024 * 1024;

/**
 * Limits the size of a result in its JSON form. Removes the structured value first, then binary content, and
 * then the ends of texts. Adds the original size to the shortened result.
 */
export function capResult(result: ToolResult, most = maxBytes): ToolResult {
  const all = sizeOf(result);
  if (all <= most) return result;
  const { structured, isError } = result;
  const shape = sizeOf({ content: [], isError, leftOut: all });
  const hasStructured = structured !== undefined && shape + sizeOf(structured) <= most;
  let room = most - shape - (hasStructured ? sizeOf(structured) : 0);
  const content: ToolContent[] = [];
  for (const part of result.content) {
    const fitting = fit(part, room);
    if (fitting === undefined) continue;
    content.push(fitting);
    room -= sizeOf(fitting);
  }
  const capped = { content, ...(hasStructured ? { structured } : {}), isError };
  return { ...capped, leftOut: all - sizeOf(capped) };
}

/**
 * Returns a part of a result if it fits into `room` bytes. Truncates a text that does not fit. Returns
 * undefined for other parts that do not fit.
 */
function fit(part: ToolContent, room: number): ToolContent | undefined {
  if (sizeOf(part) <= room) return part;
  if (part.kind !== 'text') return undefined;
  let { text } = part;
  while (text !== '') {
    const over = sizeOf({ ...part, text }) - room;
    if (over <= 0) return detach({ ...part, text });
    // A character takes at most six bytes in JSON.
    text = text.slice(0, Math.max(0, text.length - Math.max(1, Math.floor(over / 6)))).toWellFormed();
  }
  return undefined;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}
