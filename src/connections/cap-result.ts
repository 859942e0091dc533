import { detach } from '../core/json.ts';
import type { ToolContent, ToolResult } from '../core/servers/tool-server.ts';

/** Bytes of JSON that are kept of a result. */
const mostKept = 1024 * 1024;

/** A result of at most so many bytes of JSON: a structured value goes whole, then blobs go whole, then texts are cut; what is left out is counted. */
export function capResult(result: ToolResult, most = mostKept): ToolResult {
  const all = sizeOf(result);
  if (all <= most) return result;
  const { structured, isError } = result;
  const shape = sizeOf({ content: [], isError, leftOut: all });
  const keeps = structured !== undefined && shape + sizeOf(structured) <= most;
  let room = most - shape - (keeps ? sizeOf(structured) : 0);
  const content: ToolContent[] = [];
  for (const part of result.content) {
    const fitting = fit(part, room);
    if (fitting === undefined) continue;
    content.push(fitting);
    room -= sizeOf(fitting);
  }
  const capped = { content, ...(keeps ? { structured } : {}), isError };
  return { ...capped, leftOut: all - sizeOf(capped) };
}

/** A part that fits; of a text its beginning. */
function fit(part: ToolContent, room: number): ToolContent | undefined {
  if (sizeOf(part) <= room) return part;
  if (part.kind !== 'text') return undefined;
  let { text } = part;
  while (text !== '') {
    const over = sizeOf({ ...part, text }) - room;
    if (over <= 0) return detach({ ...part, text });
    text = text.slice(0, Math.max(0, text.length - Math.max(1, Math.floor(over / 6)))).toWellFormed(); // a character takes up to six bytes
  }
  return undefined;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}
