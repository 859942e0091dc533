import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import type { ServedRequest } from '../../src/testing/model-server/script.ts';

/** A request as the model gets it: the parts before the conversation, and the conversation. */
export interface WireRequest {
  /** The tools and the system prompt as JSON, exactly as sent but without cache marks. */
  readonly head: string;
  readonly system: string;
  readonly tools: readonly string[];
  /** One line per message, tool call and tool result, in order. */
  readonly lines: readonly string[];
}

/** Reads a request of the Responses, Chat Completions or Messages protocol. */
export function readRequest({ body, protocol }: ServedRequest): WireRequest {
  const plain = withoutMarks(body);
  const messages = objectsIn(plain['input'] ?? plain['messages']);
  const systems = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const others = messages.filter((message) => !systems.includes(message));
  const system = [plain['instructions'] ?? plain['system'], ...systems.map(({ content }) => content)];
  return {
    head: JSON.stringify([plain['tools'] ?? null, system]),
    system: system.map(textIn).join(''),
    tools: objectsIn(plain['tools']).map((tool) => nameOf(tool)),
    lines: others.flatMap(protocol === 'openai-chat' ? chatLines : itemLines),
  };
}

function itemLines(item: JsonObject): readonly string[] {
  switch (item['type']) {
    case 'function_call':
      return [`call ${said(item['call_id'])} ${said(item['name'])} ${said(item['arguments'])}`];
    case 'function_call_output':
      return [`result ${said(item['call_id'])} ${contentText(item['output'])}`];
    case 'reasoning':
      return ['reasoning'];
    default:
      return messageLines(item);
  }
}

function chatLines(message: JsonObject): readonly string[] {
  if (message['role'] === 'tool')
    return [`result ${said(message['tool_call_id'])} ${contentText(message['content'])}`];
  const calls = objectsIn(message['tool_calls']).map(({ id, function: called }) => {
    const { name, arguments: given } = isJsonObject(called) ? called : {};
    return `call ${said(id)} ${said(name)} ${said(given)}`;
  });
  return [...messageLines(message), ...calls];
}

function messageLines({ role, content }: JsonObject): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [`${said(role)}: ${content}`];
  return objectsIn(content).map((part) => {
    switch (part['type']) {
      case 'tool_use':
        return `call ${said(part['id'])} ${said(part['name'])} ${JSON.stringify(part['input'])}`;
      case 'tool_result':
        return `result ${said(part['tool_use_id'])} ${contentText(part['content'])}`;
      default:
        return `${said(role)}: ${partText(part)}`;
    }
  });
}

function contentText(content: Json | undefined): string {
  return typeof content === 'string' ? content : objectsIn(content).map(partText).join(' ');
}

/** Returns the text of a part. Pictures are shown by their size only. */
function partText(part: JsonObject): string {
  const { type } = part;
  if (typeof part['text'] === 'string') return part['text'];
  if (type === 'input_image' || type === 'image' || type === 'image_url')
    return `(picture of ${JSON.stringify(part).match(/[A-Za-z0-9+/]{40,}={0,2}/)?.[0].length ?? 0} characters)`;
  return `(${said(type)})`;
}

function textIn(content: Json | undefined): string {
  return typeof content === 'string' ? content : objectsIn(content).map(partText).join('');
}

function nameOf({ name, function: called }: JsonObject): string {
  return said(name ?? (isJsonObject(called) ? called['name'] : undefined));
}

function said(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one: Json) => isJsonObject(one)) : [];
}

/** Removes the marks that tell a provider what to cache, because they move with the end of the conversation. */
function withoutMarks(body: JsonObject): JsonObject {
  const text = JSON.stringify(body, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
  return JSON.parse(text) as JsonObject;
}
