import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import type { ServedRequest } from '../../src/testing/model-server/script.ts';

/** Returns the call results in a request, in the form that its protocol uses. */
export function resultsIn({ protocol, body }: ServedRequest): readonly {
  readonly id: Json | undefined;
  readonly text: string;
  /** The index of the message or item that contains the result. */
  readonly at: number;
}[] {
  if (protocol === 'openai-responses') {
    return objectsIn(body['input']).flatMap((item, at) =>
      item['type'] === 'function_call_output'
        ? [{ id: item['call_id'], text: textOf(item['output']), at }]
        : [],
    );
  }
  return objectsIn(body['messages']).flatMap((message, at) => {
    if (protocol === 'openai-chat') {
      if (message['role'] !== 'tool') return [];
      return [{ id: message['tool_call_id'], text: textOf(message['content']), at }];
    }
    return objectsIn(message['content'])
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({ id: block['tool_use_id'], text: textOf(block['content']), at }));
  });
}

/**
 * Returns the role of each message in a request. In OpenAI's Responses protocol, items that are not messages
 * have their type instead.
 */
export function rolesIn({ body }: ServedRequest): readonly (Json | undefined)[] {
  return objectsIn(body['messages'] ?? body['input']).map(({ role, type }) => role ?? type);
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one: Json) => isJsonObject(one)) : [];
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}
